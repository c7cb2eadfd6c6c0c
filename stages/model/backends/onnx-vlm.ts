import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { defineBackend } from '../define-backend.js'
import { affectsOutput, transport } from '../backend-args.js'
import { readVlmConfig } from './onnx-vlm/model-config.js'
import { digestFiles } from './local-models/file-digests.js'
import { modelFiles } from './onnx-vlm/model-files.js'
import { openPool, requestsPerWorker } from './local-models/worker-pool.js'
import { WorkerProcess } from './local-models/worker-process.js'

const workerEntry = new URL('./onnx-vlm/worker.js', import.meta.url)

/** The default number of workers. More rarely help a small model, and each holds a copy of it. */
const mostDefaultWorkers = 2

const defaultWorkers = (): number => Math.min(mostDefaultWorkers, availableParallelism())

/**
 * Vision-language models on the CPU: Idefics3 (the class of SmolVLM) in the Hugging Face ONNX layout. The identity
 * consists of the model's files and how it is computed, not of its folder.
 */
export const onnxVlm = defineBackend({
  id: 'onnx_vlm',
  summary: 'local vision-language models (Idefics3 class) in the Hugging Face ONNX layout, on the processor',
  args: {
    model: affectsOutput(z.string().describe('folder of the model: config.json, tokenizer.json, onnx/…'), {
      names: 'path',
    }),
    dtype: affectsOutput(z.enum(['fp32', 'int8']).default('fp32').describe('arithmetic of the networks')),
    // Affects the output, because more threads add partial sums in another order.
    threads: affectsOutput(z.number().int().min(1).default(1).describe('threads that share one computation')),
    workers: transport(
      z.number().int().min(1).optional().describe('requests computed at once, each by a process with its own model'),
    ),
  },
  accepts: ['text', 'image'],
  requests: ['generate_until', 'loglikelihood'],
  code: {
    revision: { name: 'onnx_vlm', number: 2 },
    files: [
      'stages/model/backends/onnx-vlm.ts',
      'stages/model/backends/onnx-vlm/',
      'stages/model/backends/conversion/rgb-picture.ts',
      'stages/model/backends/local-models/',
    ],
    packages: ['onnxruntime-node', '@huggingface/tokenizers', '@huggingface/jinja', 'sharp'],
  },
  concurrency: mostDefaultWorkers * requestsPerWorker,
  concurrencyWith: ({ workers }) => (workers ?? defaultWorkers()) * requestsPerWorker,

  async identify(args, context) {
    const dir = resolve(args.model)
    const files = await modelFiles(dir, args.dtype)
    await readVlmConfig(dir)
    return {
      backend: 'onnx_vlm',
      args: { dtype: args.dtype, ...(args.threads !== 1 && { threads: args.threads }) },
      files: await digestFiles(dir, files, path => context.fileDigest(path)),
    }
  },

  open(args, context) {
    const settings = { dir: resolve(args.model), dtype: args.dtype, threads: args.threads }
    return openPool(args.workers ?? defaultWorkers(), () => new WorkerProcess(workerEntry, settings, context))
  },
})
