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
  /**
   * Reads several continuations of one state at once, each of `length` tokens. Returns the scores of each, which equal those that `step` gives
   * it alone, to the bit: continuations are never padded, and 8-bit networks, whose scales depend on all values of a step, read them one by one.
   */
  readContinuations(
    continuations: readonly Float32Array[],
    length: number,
    memory: AttentionCache,
  ): Promise<readonly Float32Array[]>
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
    step: async (embeddings, length, memory) => {
      const outputs = await decode(decoder, { embeddings, length, memory })
      const logits = floats(outputs, 'logits')
      const present = { length: memory.length + length, tensors: presentAsPast(decoder, outputs) }
      return { logits, vocabulary: logits.length / length, memory: present }
    },
    readContinuations: (continuations, length, memory) =>
      readInBatches(decoder, continuations, {
        length,
        memory,
        most: settings.dtype === 'fp32' ? mostAtOnce(memory) : 1,
      }),
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
function run(session: InferenceSession, feeds: Readonly<Record<string, Tensor>>, outputs = session.outputNames) {
  const inputs = session.inputNames.map(name => {
    const value = feeds[name]
    if (value === undefined) throw new PipelineError('config', `onnx_vlm does not know the network's input "${name}"`)
    return [name, value] as const
  })
  return session.run(Object.fromEntries(inputs), outputs)
}

function pictureFeeds(pixels: Float32Array, size: number): Record<string, Tensor> {
  return {
    pixel_values: new Tensor('float32', pixels, [1, 1, 3, size, size]),
    pixel_attention_mask: new Tensor('bool', new Uint8Array(size * size).fill(1), [1, 1, size, size]),
  }
}

interface DecoderInput {
  /** Those of one continuation after the other. */
  readonly embeddings: Float32Array
  /** The number of tokens in a continuation. */
  readonly length: number
  /** The state that all of them continue. */
  readonly memory: AttentionCache
}

/** @param outputs the names of the outputs that are needed. @default all */
async function decode(
  decoder: InferenceSession,
  { embeddings, length, memory }: DecoderInput,
  { batch = 1, outputs }: { readonly batch?: number; readonly outputs?: readonly string[] } = {},
): Promise<InferenceSession.OnnxValueMapType> {
  const total = memory.length + length
  const positions = Array.from({ length }, (_, i) => memory.length + i)
  return run(
    decoder,
    {
      ...(batch === 1 ? memory.tensors : repeatTensors(memory.tensors, batch)),
      inputs_embeds: new Tensor('float32', embeddings, [batch, length, embeddings.length / length / batch]),
      attention_mask: int64(new Array<number>(batch * total).fill(1), batch),
      position_ids: int64(Array.from({ length: batch }, () => positions).flat(), batch),
    },
    outputs,
  )
}

/** The memory that copies of a state may take, in bytes. */
const mostCopied = 256 * 2 ** 20

/** The number of continuations that are read at once. */
function mostAtOnce({ tensors }: AttentionCache): number {
  const bytes = Object.values(tensors).reduce((sum, { size }) => sum + size * Float32Array.BYTES_PER_ELEMENT, 0)
  return Math.max(1, Math.floor(mostCopied / bytes))
}

async function readInBatches(
  decoder: InferenceSession,
  continuations: readonly Float32Array[],
  { length, memory, most }: Pick<DecoderInput, 'length' | 'memory'> & { readonly most: number },
): Promise<readonly Float32Array[]> {
  const read: Float32Array[] = []
  for (let at = 0; at < continuations.length; at += most) {
    const together = continuations.slice(at, at + most)
    const input = { embeddings: joinFloats(together), length, memory }
    const outputs = await decode(decoder, input, { batch: together.length, outputs: ['logits'] })
    const logits = floats(outputs, 'logits')
    const size = logits.length / together.length
    read.push(...together.map((_, i) => logits.subarray(i * size, (i + 1) * size)))
  }
  return read
}

/** States have one row, which each continuation gets a copy of. */
const repeatTensors = (tensors: AttentionCache['tensors'], times: number): Record<string, Tensor> =>
  Object.fromEntries(
    Object.entries(tensors).map(
      ([
        name,
        {
          data,
          dims: [, ...dims],
        },
      ]) => {
        if (!(data instanceof Float32Array)) throw new PipelineError('config', `the network's "${name}" is not float32`)
        return [name, new Tensor('float32', joinFloats(new Array<Float32Array>(times).fill(data)), [times, ...dims])]
      },
    ),
  )

function joinFloats(parts: readonly Float32Array[]): Float32Array {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  const joined = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
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

const int64 = (values: readonly number[], batch = 1): Tensor =>
  new Tensor('int64', BigInt64Array.from(values, BigInt), [batch, values.length / batch])
