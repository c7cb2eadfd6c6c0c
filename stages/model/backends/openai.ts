import { openaiBaseUrl } from './openai/define-chat-backend.js'
import { defineCompletionsBackend } from './openai/completions/define-completions-backend.js'

/** Any server with OpenAI's chat completions API, and optionally its completions API. Media are sent as original bytes. */
export const openai = defineCompletionsBackend({
  aliases: [
    'async_openai',
    'openai_compatible',
    'openai_chat',
    'openai_compatible_chat',
    'async_openai_chat',
    'async_openai_compatible',
    'async_openai_compatible_chat',
    'local-chat-completions',
    'openai-chat-completions',
  ],
  summary: 'any server that speaks the OpenAI chat completions protocol',
  endpoint: {
    backend: 'openai',
    defaultBaseUrl: openaiBaseUrl,
    baseUrlVariables: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
    keyVariables: ['OPENAI_API_KEY'],
    example: 'http://127.0.0.1:8000/v1',
  },
  accepts: ['text', 'image', 'audio', 'video', 'file'],
  hasBatches: true,
})
