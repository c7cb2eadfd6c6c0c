import { join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import type { VlmConfig } from './model-config.js'
import { networkFile, type Dtype, type NetworkName } from './model-files.js'

/** The decoder's state after some tokens. It never changes: a step makes a new one, so several steps can start from one. */
export interface AttentionCache {
  readonly length: number
  readonly tensors: Readonly<Record<string, Tensor>>
}

/** The result of one decoder step. */
export interface Step {
  /** For each input token, the scores of all possible next tokens: `vocabulary` values a token. */
  readonly logits: Float32Array
  readonly vocabulary: number
  readonly memory: AttentionCache
}

/** The three networks of a vision-language model. Values are float32. Each call blocks its thread while it computes. */
export interface Networks {
  /** Embeds one normalised image (channel, row, column). Returns one row for each of its tokens. */
  encodePicture(pixels: Float32Array): Promise<Float32Array>
  /** Returns one row of embeddings for each token. */
  embed(ids: readonly number[]): Promise<Float32Array>
  /** Reads embeddings of `length` tokens that follow the tokens in `memory`. */
  step(embeddings: Float32Array, length: number, memory: AttentionCache): Promise<Step>
  readonly emptyMemory: AttentionCache
  close(): Promise<void>
}

/** @throws PipelineError `config` if a network cannot be loaded or needs an unknown input */
export async function openNetworks(
  dir: string,
  settings: { dtype: Dtype; threads: number },
  config: VlmConfig,
): Promise<Networks> {
  const open = (name: NetworkName) => openSession(join(dir, networkFile(name, settings.dtype)), settings.threads)
  const [vision, embedder, decoder] = await Promise.all([
    open('vision_encoder'),
    open('embed_tokens'),
    open('decoder_model_merged'),
  ])
  return {
    encodePicture: async pixels =>
      floats(await run(vision, pictureFeeds(pixels, config.picture.size)), 'image_features'),
    embed: async ids => floats(await run(embedder, { input_ids: int64(ids) }), 'inputs_embeds'),
    step: (embeddings, length, memory) => decode(decoder, { embeddings, length, memory }),
    emptyMemory: { length: 0, tensors: emptyPast(decoder, config) },
    close: async () => {
      await Promise.all([vision, embedder, decoder].map(session => session.release()))
    },
  }
}

async function openSession(file: string, threads: number): Promise<InferenceSession> {
  try {
    return await InferenceSession.create(file, {
      executionProviders: ['cpu'],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    })
  } catch (error) {
    throw new PipelineError(
      'config',
      `${file}: onnxruntime cannot load it: ${messageOf(error)}. Copy or download it again if it is cut short`,
      { cause: error },
    )
  }
}

/** Passes only the inputs that the network declares, since exports of one model differ. */
function run(session: InferenceSession, feeds: Readonly<Record<string, Tensor>>) {
  const taken = session.inputNames.map(name => {
    const value = feeds[name]
    if (value === undefined) throw new PipelineError('config', `onnx_vlm does not know the network's input "${name}"`)
    return [name, value] as const
  })
  return session.run(Object.fromEntries(taken))
}

function pictureFeeds(pixels: Float32Array, size: number): Record<string, Tensor> {
  return {
    pixel_values: new Tensor('float32', pixels, [1, 1, 3, size, size]),
    pixel_attention_mask: new Tensor('bool', new Uint8Array(size * size).fill(1), [1, 1, size, size]),
  }
}

async function decode(
  decoder: InferenceSession,
  input: { embeddings: Float32Array; length: number; memory: AttentionCache },
): Promise<Step> {
  const { embeddings, length, memory } = input
  const total = memory.length + length
  const outputs = await run(decoder, {
    ...memory.tensors,
    inputs_embeds: new Tensor('float32', embeddings, [1, length, embeddings.length / length]),
    attention_mask: int64(new Array<number>(total).fill(1)),
    position_ids: int64(Array.from({ length }, (_, i) => memory.length + i)),
  })
  const logits = floats(outputs, 'logits')
  return {
    logits,
    vocabulary: logits.length / length,
    memory: { length: total, tensors: presentAsPast(decoder, outputs) },
  }
}

const pastPrefix = 'past_key_values.'
const pastNames = (decoder: InferenceSession) => decoder.inputNames.filter(name => name.startsWith(pastPrefix))

const emptyPast = (decoder: InferenceSession, config: VlmConfig): Record<string, Tensor> =>
  Object.fromEntries(
    pastNames(decoder).map(name => [
      name,
      new Tensor('float32', new Float32Array(0), [1, config.keyValueHeads, 0, config.headSize]),
    ]),
  )

const presentAsPast = (decoder: InferenceSession, outputs: InferenceSession.OnnxValueMapType) =>
  Object.fromEntries(
    pastNames(decoder).map(name => [name, requireOutput(outputs, `present.${name.slice(pastPrefix.length)}`)]),
  )

function requireOutput(outputs: InferenceSession.OnnxValueMapType, name: string): Tensor {
  const value = outputs[name]
  if (!(value instanceof Tensor)) throw new PipelineError('config', `the network has no output "${name}"`)
  return value
}

function floats(outputs: InferenceSession.OnnxValueMapType, name: string): Float32Array {
  const { data } = requireOutput(outputs, name)
  if (data instanceof Float32Array) return data
  throw new PipelineError('config', `the network's output "${name}" is not float32`)
}

const int64 = (values: readonly number[]): Tensor =>
  new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])
