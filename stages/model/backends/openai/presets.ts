/** Defines the providers of chat completions, each with its address and key. */
import { defineChatBackend } from './define-chat-backend.js'
import { defineCompletionsBackend } from './completions/define-completions-backend.js'

const textAndImages = ['text', 'image'] as const

interface PresetAddress {
  readonly url: string
  readonly keyVariable: string
}

const endpointAt = (backend: string, { url, keyVariable }: PresetAddress) => ({
  backend,
  defaultBaseUrl: url,
  baseUrlVariables: [],
  keyVariables: [keyVariable] as const,
  example: url,
})

export const openrouter = defineChatBackend({
  summary: 'OpenRouter: models of many providers',
  endpoint: endpointAt('openrouter', { url: 'https://openrouter.ai/api/v1', keyVariable: 'OPENROUTER_API_KEY' }),
  accepts: ['text', 'image', 'audio', 'file'],
  dialect: 'openrouter',
})

export const groq = defineChatBackend({
  summary: 'Groq',
  endpoint: endpointAt('groq', { url: 'https://api.groq.com/openai/v1', keyVariable: 'GROQ_API_KEY' }),
  accepts: textAndImages,
  hasBatches: true,
})

export const together = defineCompletionsBackend({
  summary: 'Together AI',
  endpoint: endpointAt('together', { url: 'https://api.together.xyz/v1', keyVariable: 'TOGETHER_API_KEY' }),
  accepts: textAndImages,
})

export const fireworks = defineCompletionsBackend({
  summary: 'Fireworks AI',
  endpoint: endpointAt('fireworks', {
    url: 'https://api.fireworks.ai/inference/v1',
    keyVariable: 'FIREWORKS_API_KEY',
  }),
  accepts: textAndImages,
})

export const deepseek = defineChatBackend({
  summary: 'DeepSeek',
  endpoint: endpointAt('deepseek', { url: 'https://api.deepseek.com/v1', keyVariable: 'DEEPSEEK_API_KEY' }),
  accepts: ['text'],
})

export const mistral = defineChatBackend({
  summary: 'Mistral AI',
  endpoint: endpointAt('mistral', { url: 'https://api.mistral.ai/v1', keyVariable: 'MISTRAL_API_KEY' }),
  accepts: ['text', 'image', 'audio', 'file'],
  seedField: 'random_seed',
  dialect: 'mistral',
})

export const xai = defineChatBackend({
  summary: 'xAI',
  endpoint: endpointAt('xai', { url: 'https://api.x.ai/v1', keyVariable: 'XAI_API_KEY' }),
  accepts: textAndImages,
})

/** A proxy that users run themselves, so it has no default address. */
export const litellm = defineCompletionsBackend({
  aliases: ['litellm_chat', 'litellm_compatible'],
  summary: 'a LiteLLM proxy',
  endpoint: {
    backend: 'litellm',
    baseUrlVariables: ['LITELLM_PROXY_API_BASE', 'LITELLM_BASE_URL'],
    keyVariables: ['LITELLM_PROXY_API_KEY', 'LITELLM_API_KEY'],
    example: 'http://127.0.0.1:4000/v1',
  },
  accepts: ['text', 'image', 'audio', 'file'],
})
