/**
 * Has a function for each built-in backend. `openai({ model: 'gpt-4o' })` is the model of `--model openai --model-args model=gpt-4o`. Types come from
 * the schemas of the backends. A backend is loaded when it is first used.
 */
import type { z } from 'zod'
import type { anthropic as anthropicBackend } from '../../../stages/model/backends/anthropic.js'
import type { azureOpenai as azureOpenaiBackend } from '../../../stages/model/backends/azure-openai.js'
import type { dummy as dummyBackend } from '../../../stages/model/backends/dummy.js'
import type { gemini as geminiBackend } from '../../../stages/model/backends/gemini.js'
import type { hf as hfBackend } from '../../../stages/model/backends/hf.js'
import type { llamaCpp as llamaCppBackend } from '../../../stages/model/backends/llama-cpp.js'
import type { lmdeploy as lmdeployBackend } from '../../../stages/model/backends/lmdeploy.js'
import type { lmms as lmmsBackend } from '../../../stages/model/backends/lmms.js'
import type { ollama as ollamaBackend } from '../../../stages/model/backends/ollama.js'
import type { onnxVlm as onnxVlmBackend } from '../../../stages/model/backends/onnx-vlm.js'
import type { transformersJs as transformersJsBackend } from '../../../stages/model/backends/transformers-js.js'
import type { openaiCompletions as openaiCompletionsBackend } from '../../../stages/model/backends/openai-completions.js'
import type { openaiTranscriptions as openaiTranscriptionsBackend } from '../../../stages/model/backends/openai-transcriptions.js'
import type { openaiResponses as openaiResponsesBackend } from '../../../stages/model/backends/openai-responses.js'
import type { openai as openaiBackend } from '../../../stages/model/backends/openai.js'
import type * as presets from '../../../stages/model/backends/openai/presets.js'
import type { python as pythonBackend } from '../../../stages/model/backends/python.js'
import type { sglang as sglangBackend } from '../../../stages/model/backends/sglang.js'
import type { vllm as vllmBackend } from '../../../stages/model/backends/vllm.js'
import type { BackendArgs } from '../../../stages/model/backend-args.js'
import { byDeclaredName, type NamedArguments, type Options } from '../options/named-arguments.js'
import { modelBrand, type ModelValue } from './values.js'

/** Arguments of a backend by their declared names (`base_url`) or in camel case (`baseURL`). */
export type ModelOptions<Shape extends BackendArgs> = NamedArguments<z.ZodObject<Shape>>

/** Makes a model from a backend and its arguments, which are checked when the model is first used. */
export type ModelFactory<Backend extends { readonly args: BackendArgs }> = (
  ...options: Options<ModelOptions<Backend['args']>>
) => ModelValue

const makeModelFactory =
  <Backend extends { readonly args: BackendArgs }>(backend: string): ModelFactory<Backend> =>
  (...[options]) => ({
    [modelBrand]: true,
    kind: 'model',
    backend,
    args: byDeclaredName(options, { of: `model ${backend}` }),
  })

/** Any server that speaks the OpenAI chat completions protocol. */
export const openai = makeModelFactory<typeof openaiBackend>('openai')
/** Base models: text completions of any server that speaks the OpenAI protocol. */
export const openaiCompletions = makeModelFactory<typeof openaiCompletionsBackend>('openai_completions')
/** Speech recognition by the transcriptions API of any server that speaks the OpenAI protocol. */
export const openaiTranscriptions = makeModelFactory<typeof openaiTranscriptionsBackend>('openai_transcriptions')
/** OpenAI's Responses API. */
export const openaiResponses = makeModelFactory<typeof openaiResponsesBackend>('openai_responses')
/** OpenAI models on Azure, by deployment. */
export const azureOpenai = makeModelFactory<typeof azureOpenaiBackend>('azure_openai')
/** Claude, by Anthropic's Messages API. */
export const anthropic = makeModelFactory<typeof anthropicBackend>('anthropic')
/** Google's Gemini, by the Gemini API. */
export const gemini = makeModelFactory<typeof geminiBackend>('gemini')
/** Makes a model that OpenRouter serves. */
export const openrouter = makeModelFactory<typeof presets.openrouter>('openrouter')
/** Makes a model that Groq serves. */
export const groq = makeModelFactory<typeof presets.groq>('groq')
/** Makes a model that Together AI serves. */
export const together = makeModelFactory<typeof presets.together>('together')
/** Makes a model that Fireworks AI serves. */
export const fireworks = makeModelFactory<typeof presets.fireworks>('fireworks')
/** Makes a model that DeepSeek serves. */
export const deepseek = makeModelFactory<typeof presets.deepseek>('deepseek')
/** Makes a model that Mistral AI serves. */
export const mistral = makeModelFactory<typeof presets.mistral>('mistral')
/** Makes a model that xAI serves. */
export const xai = makeModelFactory<typeof presets.xai>('xai')
/** A LiteLLM proxy of the user's own. */
export const litellm = makeModelFactory<typeof presets.litellm>('litellm')
/** vLLM: a running server (`baseURL`), or one that is started for the run. */
export const vllm = makeModelFactory<typeof vllmBackend>('vllm')
/** SGLang: a running server (`baseURL`), or one that is started for the run. */
export const sglang = makeModelFactory<typeof sglangBackend>('sglang')
/** llama.cpp's llama-server: a running one (`baseURL`), or one that is started for the run. */
export const llamaCpp = makeModelFactory<typeof llamaCppBackend>('llama_cpp')
/** Ollama: a running server, or one that is started for the run. */
export const ollama = makeModelFactory<typeof ollamaBackend>('ollama')
/** LMDeploy: a running server (`baseURL`), or one that is started for the run. */
export const lmdeploy = makeModelFactory<typeof lmdeployBackend>('lmdeploy')
/** A class of your own in Python. */
export const python = makeModelFactory<typeof pythonBackend>('python')
/** A model of the lmms-eval that is installed in your Python. */
export const lmms = makeModelFactory<typeof lmmsBackend>('lmms')
/** A pipeline of transformers in your Python. */
export const hf = makeModelFactory<typeof hfBackend>('hf')
/** Local vision-language models in the Hugging Face ONNX layout, on the CPU. */
export const onnxVlm = makeModelFactory<typeof onnxVlmBackend>('onnx_vlm')
/** Local models in the folder layout of transformers.js, computed by that library. */
export const transformersJs = makeModelFactory<typeof transformersJsBackend>('transformers_js')
/** Deterministic answers without a model, with settable latency and failures. */
export const dummy = makeModelFactory<typeof dummyBackend>('dummy')
