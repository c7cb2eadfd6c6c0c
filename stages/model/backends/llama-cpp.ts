import type { ModelArgs } from '../backend-args.js'
import { defineEngine } from './engines/define-engine.js'
import { count, outputFlag, placementFlag, type ServingPlace, text, whole, yesNo } from './engines/engine.js'

const defaultParallel = 4
/** The maximum number of parallel requests by default. Each needs memory for its own context. */
const mostParallel = 16

/** llama.cpp's `llama-server`, running or started for the run. */
export const llamaCpp = defineEngine({
  id: 'llama_cpp',
  aliases: ['llama_server', 'llamacpp'],
  summary: "llama.cpp's llama-server: one that runs (base_url), or one that is started for the run",
  accepts: ['text', 'image', 'audio'],
  concurrency: defaultParallel,
  baseUrlVariable: 'LLAMA_CPP_BASE_URL',
  keyVariable: 'LLAMA_API_KEY',
  example: 'http://127.0.0.1:8080/v1',
  healthPath: '/health',
  program: ['llama-server'],
  install: 'https://github.com/ggml-org/llama.cpp',
  flags: {
    ctx_size: outputFlag('--ctx-size', count('the longest context of a request, in tokens')),
    mmproj: outputFlag('--mmproj', text('file with which the model sees or hears'), { mayBeFile: true, names: 'path' }),
    chat_template: outputFlag('--chat-template', text('name or text of a chat template in place of the model’s')),
    chat_template_file: outputFlag('--chat-template-file', text('file of a chat template'), {
      mayBeFile: true,
      names: 'path',
    }),
    jinja: outputFlag('--jinja', yesNo('render the template as it is written'), { negation: '--no-jinja' }),
    cache_type_k: outputFlag('--cache-type-k', text('arithmetic of the keys in the cache: f16, q8_0…')),
    cache_type_v: outputFlag('--cache-type-v', text('arithmetic of the values in the cache')),
    seed: outputFlag('--seed', whole('of the engine')),
    lora: outputFlag('--lora', text('file of an adapter'), { mayBeFile: true, names: 'path' }),
    reasoning_format: outputFlag(
      '--reasoning-format',
      text('how reasoning is separated from the answer: none, deepseek, auto'),
    ),
    reasoning_budget: outputFlag('--reasoning-budget', whole('0 for no thinking, -1 for as much as it likes')),
    parallel: placementFlag(
      '--parallel',
      count('requests computed at once; as many as are asked at once, up to 16, if not given'),
    ),
    n_gpu_layers: placementFlag('--n-gpu-layers', whole('layers on the GPU')),
    threads: placementFlag('--threads', count('threads that share one computation')),
  },
  rewrite: sharedContext,
  serve: ({ model, source, name, port }: ServingPlace) => [
    ...(model.type === 'files' ? ['--model', firstPart(model.files) ?? source] : ['--hf-repo', source]),
    ...['--alias', name, '--host', '127.0.0.1', '--port', port],
  ],
})

/** Computes the context size of all parallel requests together, which the program divides among them. */
function sharedContext(args: ModelArgs, concurrency = defaultParallel): ModelArgs {
  const { ctx_size: each, parallel = Math.min(concurrency, mostParallel) } = args
  if (typeof each !== 'number' || typeof parallel !== 'number') return { ...args, parallel }
  return { ...args, parallel, ctx_size: each * parallel }
}

/** Selects the first file of a model in several files. The program finds the others. */
const firstPart = (files: Readonly<Record<string, string>>): string | undefined =>
  files['model'] ?? files['model-00001']
