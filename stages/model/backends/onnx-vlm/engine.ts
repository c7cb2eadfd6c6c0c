import { RecentMap, RecentResults } from '../../../../base/collections/recent-map.js'
import type { MediaDigest } from '../../../../cache/digest.js'
import { AttemptError, type ModelAnswer, type ModelRequest } from '../../model.js'
import type { Engine, ReadMedia } from '../local-models/engine.js'
import { cutAtStop, logSoftmaxAt, argmax, generationRules, tokenPicker } from '../local-models/sampling.js'
import { scoreContinuations } from './continuation-scores.js'
import { readVlmConfig, type VlmConfig } from './model-config.js'
import type { Dtype } from './model-files.js'
import { type Networks, openNetworks, type Step } from './networks.js'
import { decodePicture, fitPicture, normalisePixels } from './picture.js'
import { openPrompter, type Prompt, type Prompter } from './prompt.js'

export interface EngineSettings {
  /** The model's folder. */
  readonly dir: string
  readonly dtype: Dtype
  readonly threads: number
}

interface Parts {
  readonly config: VlmConfig
  readonly prompter: Prompter
  readonly networks: Networks
  readonly readMedia: ReadMedia
  /** Image embeddings by digest. Questions about one image often follow each other. */
  readonly pictures: RecentResults<Float32Array>
  /** The decoder's state after a prompt. The choices of one question share it. */
  readonly prompts: RecentResults<Step>
  /** Conversations in the form that the model reads. */
  readonly encoded: RecentMap<string, Prompt>
}

interface Scoring extends Parts {
  readonly scores: ReturnType<typeof scoreContinuations>
}

/** The number of embeddings that a worker keeps. One takes 8 kB for a small model, up to 1 MB for a large one. */
const recentPictures = 64
const recentPrompts = 2
/** The number of encoded conversations that a worker keeps. */
const recentTexts = 16

/**
 * Opens a vision-language model that computes in this thread and blocks it.
 *
 * The same request always gets the same answer. Float arithmetic depends on the shapes of steps. Therefore a prompt is
 * always read in one step, and what follows it in others, even if the prompt was cached.
 *
 * @throws PipelineError `config` if the folder does not hold such a model
 */
export async function openEngine(settings: EngineSettings, readMedia: ReadMedia): Promise<Engine> {
  const config = await readVlmConfig(settings.dir)
  const parts: Parts = {
    config,
    prompter: await openPrompter(settings.dir, config),
    networks: await openNetworks(settings.dir, settings, config),
    readMedia,
    pictures: new RecentResults(recentPictures),
    prompts: new RecentResults(recentPrompts),
    encoded: new RecentMap(recentTexts),
  }
  const scoring = { ...parts, scores: scoreContinuations(parts.networks, prompt => readPrompt(parts, prompt)) }
  return {
    answer: (request, signal) => answer(scoring, request, signal),
    close: () => parts.networks.close(),
  }
}

async function answer(parts: Scoring, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
  const { input } = request
  if (input.tools !== undefined) throw refuse('onnx_vlm has no tools')
  switch (input.type) {
    case 'generate_until':
      return generate(parts, request, signal)
    case 'loglikelihood':
      return loglikelihood(parts, request)
    default:
      throw refuse(`onnx_vlm does not answer ${input.type}`)
  }
}

async function generate(parts: Parts, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
  const { config, prompter, networks } = parts
  const rules = generationRules(request.generation, {
    backend: 'onnx_vlm',
    defaultMaxNewTokens: config.maxNewTokens,
  })
  const prompt = encodePrompt(parts, request)
  const limit = Math.min(rules.maxNewTokens, roomAfter(prompt, config))
  const pick = tokenPicker(rules, [request.sample, prompt.ids, prompt.pictures])
  const ids: number[] = []
  const makeAnswer = (text: string, finishReason: 'stop' | 'length'): ModelAnswer => ({
    body: { text, finishReason },
    usage: { inputTokens: prompt.ids.length, outputTokens: ids.length },
  })

  let step = await readPrompt(parts, prompt)
  for (;;) {
    signal.throwIfAborted()
    const token = pick(lastRow(step))
    ids.push(token)
    if (config.eosTokenIds.has(token)) return makeAnswer(prompter.decode(ids), 'stop')
    const cut = cutAtStop(rules.until, () => prompter.decode(ids))
    if (cut !== undefined) return makeAnswer(cut, 'stop')
    if (ids.length >= limit) return makeAnswer(prompter.decode(ids), 'length')
    step = await networks.step(await networks.embed([token]), 1, step.memory)
  }
}

async function loglikelihood(parts: Scoring, request: ModelRequest): Promise<ModelAnswer> {
  const { config, prompter } = parts
  const prompt = encodePrompt(parts, request)
  const ids = prompter.tokens(request.input.continuation ?? '')
  if (ids.length === 0) throw refuse('a loglikelihood needs a continuation that is not empty')
  if (ids.length > roomAfter(prompt, config)) throw tooLong(prompt.ids.length + ids.length, config)
  const rows = await parts.scores(prompt, ids)
  return {
    body: {
      text: '',
      finishReason: 'stop',
      logprob: ids.reduce((sum, id, i) => sum + logSoftmaxAt(rows[i] ?? new Float32Array(), id), 0),
      continuationTokens: ids.length,
      isGreedy: ids.every((id, i) => argmax(rows[i] ?? new Float32Array()) === id),
    },
    usage: { inputTokens: prompt.ids.length + ids.length },
  }
}

/** Equal conversations are one prompt. */
function encodePrompt({ prompter, encoded }: Parts, { input }: ModelRequest): Prompt {
  const key = JSON.stringify(input.messages)
  const prompt = encoded.get(key) ?? prompter.encode(input.messages)
  encoded.set(key, prompt)
  return prompt
}

function roomAfter(prompt: Prompt, config: VlmConfig): number {
  const room = config.maxPositions - prompt.ids.length
  if (room <= 0) throw tooLong(prompt.ids.length, config)
  return room
}

function readPrompt(parts: Parts, prompt: Prompt): Promise<Step> {
  const { networks } = parts
  return parts.prompts.get(JSON.stringify(prompt), async () => {
    const pictures = await Promise.all(prompt.pictures.map(digest => pictureEmbeddings(parts, digest)))
    const embeddings = await networks.embed(prompt.ids)
    placePictures(embeddings, prompt, { pictures, imageTokenId: parts.config.imageTokenId })
    return networks.step(embeddings, prompt.ids.length, networks.emptyMemory)
  })
}

const pictureEmbeddings = (parts: Parts, digest: MediaDigest): Promise<Float32Array> =>
  parts.pictures.get(digest, async () => {
    const { picture: config } = parts.config
    const picture = await decodePicture(await parts.readMedia(digest), `image ${digest}`)
    return parts.networks.encodePicture(normalisePixels(fitPicture(picture, config), config))
  })

/** Inserts the images' embeddings at their tokens. */
function placePictures(
  embeddings: Float32Array,
  prompt: Prompt,
  { pictures, imageTokenId }: { pictures: readonly Float32Array[]; imageTokenId: number },
): void {
  const width = embeddings.length / prompt.ids.length
  const rows = pictures.flatMap(picture =>
    Array.from({ length: picture.length / width }, (_, i) => picture.subarray(i * width, (i + 1) * width)),
  )
  const positions = prompt.ids.flatMap((id, i) => (id === imageTokenId ? [i] : []))
  if (positions.length !== rows.length) {
    throw refuse(`the pictures' ${rows.length} embeddings do not fit the prompt's ${positions.length} places`)
  }
  positions.forEach((index, i) => embeddings.set(rows[i] ?? [], index * width))
}

const lastRow = (step: Step): Float32Array => step.logits.subarray(step.logits.length - step.vocabulary)

const refuse = (why: string) => new AttemptError('invalid_request', why, { isRetryable: false })

const tooLong = (tokens: number, config: VlmConfig) =>
  refuse(`${tokens} tokens are more than the model's ${config.maxPositions} positions`)
