import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { affectsOutput, outputArgs, transport } from '../backend-args.js'
import { defineBackend } from '../define-backend.js'
import { digestFiles } from './local-models/file-digests.js'
import { openPool, requestsPerWorker } from './local-models/worker-pool.js'
import { WorkerProcess } from './local-models/worker-process.js'
import { readLibraryVersion } from './transformers-js/library.js'
import { dtypes, listModelFiles, poolings, readFolderConfig } from './transformers-js/model-folder.js'

const workerEntry = new URL('./transformers-js/worker.js', import.meta.url)

/** The arguments in keys, beside which the model's files stand for its folder. */
const keyArgs = {
  dtype: affectsOutput(
    z.enum(dtypes).default('fp32').describe('arithmetic of the networks, and so which files are read'),
  ),
  device: affectsOutput(z.string().default('cpu').describe('where onnxruntime computes, such as cpu, cuda or webgpu')),
  // Affects the output, because more threads add partial sums in another order.
  threads: affectsOutput(z.number().int().min(1).default(1).describe('threads that share one computation')),
  language: affectsOutput(z.string().optional().describe('language of the speech, for models of several languages')),
  pooling: affectsOutput(
    z.enum(poolings).optional().describe("how the vectors of a text's tokens become one, for models of embeddings"),
  ),
}

/** The default number of workers. Each holds a copy of the model. */
const mostDefaultWorkers = 2

const defaultWorkers = (): number => Math.min(mostDefaultWorkers, availableParallelism())

/**
 * Models in the folder layout of transformers.js, computed by that library. The identity consists of the model's files
 * and how they are computed, not of their folder.
 */
export const transformersJs = defineBackend({
  id: 'transformers_js',
  summary:
    'local language, vision-language, speech, CLIP and embedding models in ONNX, computed by @huggingface/transformers',
  args: {
    model: affectsOutput(z.string().describe('folder of the model: config.json, tokenizer.json, onnx/…'), {
      names: 'path',
    }),
    ...keyArgs,
    workers: transport(
      z.number().int().min(1).optional().describe('requests computed at once, each by a process with its own model'),
    ),
  },
  accepts: ['text', 'image', 'audio'],
  requests: ['generate_until', 'loglikelihood', 'loglikelihood_rolling'],
  // It has no revision, whose golden corpus would need the library: the digests of these files are in the keys.
  code: {
    files: [
      'stages/model/backends/transformers-js.ts',
      'stages/model/backends/transformers-js/',
      'stages/model/backends/local-models/',
      'stages/model/backends/onnx-vlm/picture.ts',
      'stages/model/backends/conversion/rgb-picture.ts',
    ],
  },
  concurrency: mostDefaultWorkers * requestsPerWorker,
  concurrencyWith: ({ workers }) => (workers ?? defaultWorkers()) * requestsPerWorker,

  async identify(args, context) {
    const dir = resolve(args.model)
    const files = await listModelFiles(dir, args.dtype)
    await readFolderConfig(dir)
    const library = readLibraryVersion()
    return {
      backend: 'transformers_js',
      args: { ...outputArgs({ args: keyArgs }, args), library },
      files: await digestFiles(dir, files, path => context.fileDigest(path)),
    }
  },

  open(args, context) {
    const { dtype, device, threads, language, pooling } = args
    const settings = {
      ...{ dir: resolve(args.model), dtype, device, threads },
      ...(language !== undefined && { language }),
      ...(pooling !== undefined && { pooling }),
    }
    return openPool(args.workers ?? defaultWorkers(), () => new WorkerProcess(workerEntry, settings, context))
  },
})
