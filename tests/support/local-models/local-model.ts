/** Small models that tests compute themselves, as models of an evaluation. */
import type { InferenceSession } from 'onnxruntime-node'
import { z } from 'zod'
import type { MediaDigest } from '../../../cache/digest.js'
import type { ContentPart, ResponseBody } from '../../../cache/records.js'
import { modelBrand, type ModelValue } from '../../../src/library/values/values.js'
import { affectsOutput } from '../../../stages/model/backend-args.js'
import { defineBackend, type Modality } from '../../../stages/model/define-backend.js'
import type { ModelRequest } from '../../../stages/model/model.js'

/** A request as a small model sees it. */
export interface LocalRequest {
  /** The texts of the messages, joined. */
  readonly text: string
  /** The bytes of the media, in their order. */
  readonly media: readonly Uint8Array[]
  /** The text whose likelihood is asked for; empty otherwise. */
  readonly continuation: string
}

/** Makes a model from a function. @param name stands for the model's files in keys */
export function localModel(
  name: string,
  accepts: readonly Modality[],
  answer: (request: LocalRequest) => Promise<Partial<ResponseBody>>,
): ModelValue {
  const backend = defineBackend({
    id: 'local',
    summary: 'a small model of the tests',
    args: { model: affectsOutput(z.string()) },
    accepts: ['text', ...accepts],
    requests: ['generate_until', 'loglikelihood'],
    concurrency: 1,
    open: (_, context) => ({
      async answer(request) {
        const read = await readRequest(request, digest => context.readMedia(digest))
        return { body: { text: '', finishReason: 'stop', ...(await answer(read)) } }
      },
    }),
  })
  return { [modelBrand]: true, kind: 'model', backend, args: { model: name }, code: { version: '1' } }
}

async function readRequest(
  { input }: ModelRequest,
  readMedia: (digest: MediaDigest) => Promise<Uint8Array>,
): Promise<LocalRequest> {
  const parts = input.messages.flatMap(({ content }): readonly ContentPart[] => content)
  return {
    text: parts.map(part => (part.type === 'text' ? part.text : '')).join(''),
    media: await Promise.all(parts.flatMap(part => (part.type === 'text' ? [] : [readMedia(part.media)]))),
    continuation: input.continuation ?? '',
  }
}

/** Opens a network with one thread. */
export async function openNetwork(path: string): Promise<InferenceSession> {
  const { InferenceSession } = await import('onnxruntime-node')
  return InferenceSession.create(path, { intraOpNumThreads: 1, interOpNumThreads: 1 })
}

/** Computes the logarithms of a softmax. */
export function logSoftmax(logits: Float32Array): Float64Array {
  const largest = logits.reduce((most, value) => Math.max(most, value), -Infinity)
  const total = logits.reduce((sum, value) => sum + Math.exp(value - largest), 0)
  return Float64Array.from(logits, value => value - largest - Math.log(total))
}
