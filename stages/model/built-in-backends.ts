import type { AnyBackend } from './define-backend.js'

interface BuiltIn {
  readonly id: string
  readonly aliases: readonly string[]
  readonly summary: string
  /** The backend that this preset calls at another address. Prompts have the wording for that backend. */
  readonly presetOf?: string
  /** @default 'chat' */
  readonly form?: 'text'
  load(): Promise<AnyBackend>
}

const presets = async () => import('./backends/openai/presets.js')

const chat = (id: string, summary: string, load: BuiltIn['load']): BuiltIn => ({
  id,
  aliases: [],
  summary,
  presetOf: 'openai',
  load,
})

// Ids, aliases and summaries are repeated here, so that naming a backend loads none. A test compares both.
export const builtIns: readonly BuiltIn[] = [
  {
    id: 'onnx_vlm',
    aliases: [],
    summary: 'local vision-language models (Idefics3 class) in the Hugging Face ONNX layout, on the processor',
    load: async () => (await import('./backends/onnx-vlm.js')).onnxVlm,
  },
  {
    id: 'transformers_js',
    aliases: [],
    summary:
      'local language, vision-language, speech, CLIP and embedding models in ONNX, computed by @huggingface/transformers',
    load: async () => (await import('./backends/transformers-js.js')).transformersJs,
  },
  {
    id: 'openai',
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
    load: async () => (await import('./backends/openai.js')).openai,
  },
  {
    id: 'openai_completions',
    aliases: ['openai-completions', 'local-completions', 'gguf'],
    summary: 'base models: text completions of any server that speaks the OpenAI protocol',
    form: 'text',
    load: async () => (await import('./backends/openai-completions.js')).openaiCompletions,
  },
  {
    id: 'openai_transcriptions',
    aliases: [],
    summary: 'speech recognition: the transcriptions of any server that speaks the OpenAI protocol',
    load: async () => (await import('./backends/openai-transcriptions.js')).openaiTranscriptions,
  },
  chat(
    'azure_openai',
    'OpenAI models on Azure, by deployment',
    async () => (await import('./backends/azure-openai.js')).azureOpenai,
  ),
  chat('openrouter', 'OpenRouter: models of many providers', async () => (await presets()).openrouter),
  chat('groq', 'Groq', async () => (await presets()).groq),
  chat('together', 'Together AI', async () => (await presets()).together),
  chat('fireworks', 'Fireworks AI', async () => (await presets()).fireworks),
  chat('deepseek', 'DeepSeek', async () => (await presets()).deepseek),
  chat('mistral', 'Mistral AI', async () => (await presets()).mistral),
  chat('xai', 'xAI', async () => (await presets()).xai),
  {
    ...chat('litellm', 'a LiteLLM proxy', async () => (await presets()).litellm),
    aliases: ['litellm_chat', 'litellm_compatible'],
  },
  {
    id: 'openai_responses',
    aliases: [],
    summary: "OpenAI's Responses API",
    load: async () => (await import('./backends/openai-responses.js')).openaiResponses,
  },
  {
    id: 'anthropic',
    aliases: ['claude'],
    summary: "Claude, by Anthropic's Messages API",
    load: async () => (await import('./backends/anthropic.js')).anthropic,
  },
  {
    id: 'gemini',
    aliases: ['gemini_api'],
    summary: "Google's Gemini, by the Gemini API",
    load: async () => (await import('./backends/gemini.js')).gemini,
  },
  {
    id: 'vllm',
    aliases: ['vllm_chat', 'vllm_generate'],
    summary: 'vLLM: a server that runs (base_url), or one that is started for the run',
    load: async () => (await import('./backends/vllm.js')).vllm,
  },
  {
    id: 'sglang',
    aliases: ['sglang_runtime', 'sglang_chat'],
    summary: 'SGLang: a server that runs (base_url), or one that is started for the run',
    load: async () => (await import('./backends/sglang.js')).sglang,
  },
  {
    id: 'llama_cpp',
    aliases: ['llama_server', 'llamacpp'],
    summary: "llama.cpp's llama-server: one that runs (base_url), or one that is started for the run",
    load: async () => (await import('./backends/llama-cpp.js')).llamaCpp,
  },
  {
    id: 'ollama',
    aliases: ['ollama_chat'],
    summary: 'Ollama: a server that runs, or one that is started for the run',
    load: async () => (await import('./backends/ollama.js')).ollama,
  },
  {
    id: 'lmdeploy',
    aliases: [],
    summary: 'LMDeploy: a server that runs (base_url), or one that is started for the run',
    load: async () => (await import('./backends/lmdeploy.js')).lmdeploy,
  },
  {
    id: 'python',
    aliases: [],
    summary: 'a class in a Python file, with the interface of lmms-eval or a method generate',
    load: async () => (await import('./backends/python.js')).python,
  },
  {
    id: 'lmms',
    aliases: [],
    summary: 'a model of the installed lmms-eval, loaded in Python',
    load: async () => (await import('./backends/lmms.js')).lmms,
  },
  {
    id: 'hf',
    aliases: [],
    summary: 'a pipeline of Hugging Face transformers, loaded in Python',
    load: async () => (await import('./backends/hf.js')).hf,
  },
  {
    id: 'dummy',
    aliases: ['dummy_video_reader'],
    summary: 'deterministic answers without a model, with settable latency and failures, for trying things out',
    load: async () => (await import('./backends/dummy.js')).dummy,
  },
]

/** Loads all built-in backends. */
export const allBackends = (): Promise<readonly AnyBackend[]> =>
  Promise.all(builtIns.map(async builtIn => builtIn.load()))
