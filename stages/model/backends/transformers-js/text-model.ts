import { RecentResults } from '../../../../base/collections/recent-map.js'
import type { ChatMessage } from '../../../../cache/records.js'
import type { ModelAnswer, ModelRequest } from '../../model.js'
import type { Engine } from '../local-models/engine.js'
import { argmax, cutAtStop, generationRules, logSoftmaxAt, tokenPicker } from '../local-models/sampling.js'
import type { LoadedModel, Processor, Tensor, Tensors, Tokenizer, TransformersLibrary } from './library.js'
import { joinTexts, listMedia, type Opening, readPicture, refuse } from './request-content.js'

/** The maximum length of an answer in tokens, if neither request nor model states one. */
const defaultMaxNewTokens = 256
/** The number of prompts whose state is kept. The choices of one question share it. */
const recentPrompts = 2

/** A prompt in the form that the model reads. */
interface Prompt {
  readonly key: string
  readonly ids: readonly number[]
  /** Tokens, and the pictures' values. */
  readonly inputs: Tensors
}

interface Parts extends Opening {
  readonly model: LoadedModel
  readonly tokenizer: Tokenizer
  /** Absent for a model that reads text alone. */
  readonly processor?: Processor
  readonly prompts: RecentResults<Tensors>
}

/** Opens a language model, or with `modelClass` a vision-language model. */
export async function openTextModel(
  opening: Opening,
  modelClass?: TransformersLibrary['AutoModelForImageTextToText'],
): Promise<Engine> {
  const { library, name, options } = opening
  const [tokenizer, processor, model] = await Promise.all([
    library.AutoTokenizer.from_pretrained(name),
    modelClass && library.AutoProcessor.from_pretrained(name),
    (modelClass ?? library.AutoModelForCausalLM).from_pretrained(name, options),
  ])
  const parts = {
    ...opening,
    model,
    tokenizer,
    ...(processor && { processor }),
    prompts: new RecentResults<Tensors>(recentPrompts),
  }
  return {
    answer: (request, signal) =>
      request.input.type === 'generate_until' ? generate(parts, request, signal) : scoreContinuation(parts, request),
    async close() {
      await model.dispose()
    },
  }
}

async function generate(parts: Parts, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
  const { model, tokenizer } = parts
  const { generation_config: settings } = model
  // The library shows such a network only the last token, and the answer would be noise.
  if (!Object.values(model.sessions).some(({ inputNames }) => inputNames.some(name => name.startsWith('past'))))
    throw refuse('this model cannot generate, because its networks take no past_key_values: export it with them')
  const rules = generationRules(request.generation, {
    backend: 'transformers_js',
    defaultMaxNewTokens: settings?.max_new_tokens ?? defaultMaxNewTokens,
  })
  const prompt = await encodePrompt(parts, request)
  const limit = Math.min(rules.maxNewTokens, roomAfter(prompt, parts))
  const pick = tokenPicker(rules, [request.sample, prompt.key])
  const decodeNew = (sequence: readonly bigint[]): string =>
    tokenizer.decode(sequence.slice(prompt.ids.length), { skip_special_tokens: true })
  let cut: string | undefined
  // What the request states decides, not what the model's generation_config.json recommends.
  const output = await model.generate({
    ...prompt.inputs,
    max_new_tokens: limit,
    do_sample: false,
    num_beams: 1,
    repetition_penalty: 1,
    ...(rules.sampling && { logits_processor: [drawByRules(pick)] }),
    stopping_criteria: [
      (sequences: readonly (readonly bigint[])[]) =>
        sequences.map(sequence => {
          cut = cutAtStop(rules.until, () => decodeNew(sequence))
          return cut !== undefined || signal.aborted
        }),
    ],
  })
  signal.throwIfAborted()
  const sequence = Array.from(output.data, BigInt)
  const ends = [settings?.eos_token_id ?? tokenizer.eos_token_id ?? []].flat()
  const hasEnded = cut !== undefined || ends.includes(Number(sequence.at(-1)))
  return {
    body: { text: cut ?? decodeNew(sequence), finishReason: hasEnded ? 'stop' : 'length' },
    usage: { inputTokens: prompt.ids.length, outputTokens: sequence.length - prompt.ids.length },
  }
}

/** Leaves only the drawn token possible, because the library's own draws cannot be repeated. */
const drawByRules = (pick: (logits: Float32Array) => number) => (_: unknown, logits: Tensor) => {
  const { data } = logits
  if (data instanceof Float32Array) {
    const drawn = pick(data)
    data.fill(-Infinity)
    data[drawn] = 0
  }
  return logits
}

async function scoreContinuation(parts: Parts, request: ModelRequest): Promise<ModelAnswer> {
  const { tokenizer, model, library } = parts
  const ids = tokenizer.encode(request.input.continuation ?? '', { add_special_tokens: false })
  if (ids.length === 0) throw refuse('a loglikelihood needs a continuation that is not empty')
  const prompt = await encodePrompt(parts, request)
  if (ids.length > roomAfter(prompt, parts)) throw tooLong(prompt.ids.length + ids.length, parts)
  const inputIds = ids.slice(0, -1)
  const whole = makeIds(library, [...prompt.ids, ...inputIds])
  const mask = makeIds(library, new Array<number>(prompt.ids.length + inputIds.length).fill(1))
  const readWhole = () => model({ ...prompt.inputs, input_ids: whole, attention_mask: mask })
  const rows: Float32Array[] = []
  const state = sharesPrompts(parts) ? await parts.prompts.get(prompt.key, () => model(prompt.inputs)) : undefined
  const past = state && pastFrom(state)
  if (state === undefined || past === undefined) {
    rows.push(...lastRows(state !== undefined && inputIds.length === 0 ? state : await readWhole(), ids.length))
  } else {
    rows.push(...lastRows(state, 1))
    if (inputIds.length > 0) {
      const step = { input_ids: makeIds(library, inputIds), attention_mask: mask, past_key_values: past }
      rows.push(...lastRows(await model(step), inputIds.length))
    }
  }
  const rowAt = (i: number): Float32Array => rows[i] ?? new Float32Array()
  return {
    body: {
      text: '',
      finishReason: 'stop',
      logprob: ids.reduce((sum, id, i) => sum + logSoftmaxAt(rowAt(i), id), 0),
      continuationTokens: ids.length,
      isGreedy: ids.every((id, i) => argmax(rowAt(i)) === id),
    },
    usage: { inputTokens: prompt.ids.length + ids.length },
  }
}

/** Models that number positions by the parts of pictures need the whole sequence for it. */
const sharesPrompts = ({ model }: Parts): boolean => typeof model.get_rope_index !== 'function'

/** The decoder's state as the inputs of its next step. Undefined if it has none, or parts that are not attention's. */
function pastFrom(outputs: Tensors): Tensors | undefined {
  const present = Object.entries(outputs).filter(([name]) => name.startsWith('present'))
  if (present.length === 0 || present.some(([name]) => !name.startsWith('present.'))) return undefined
  return Object.fromEntries(present.map(([name, tensor]) => [name.replace('present', 'past_key_values'), tensor]))
}

/** The scores of the token behind each of the last `count` tokens. */
function lastRows(outputs: Tensors, count: number): readonly Float32Array[] {
  const logits = outputs['logits']?.to('float32')
  if (!(logits?.data instanceof Float32Array)) throw refuse('the model gives no scores of tokens (logits)')
  const { data, dims } = logits
  const width = dims.at(-1) ?? 0
  return Array.from({ length: count }, (_, i) => {
    const end = data.length - (count - 1 - i) * width
    return data.subarray(end - width, end)
  })
}

const makeIds = (library: TransformersLibrary, ids: readonly number[]): Tensor =>
  new library.Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length])

async function encodePrompt(parts: Parts, request: ModelRequest): Promise<Prompt> {
  const { tokenizer, processor } = parts
  const digests = listMedia(request, 'image')
  if (digests.length > 0 && processor === undefined) throw refuse('this model reads text alone, and no image')
  const isRolling = request.input.type === 'loglikelihood_rolling'
  const hasTemplate = !isRolling && Boolean(tokenizer.chat_template)
  const text = hasTemplate ? render(parts, request.input.messages) : joinTexts(request)
  const pictures = await Promise.all(digests.map(digest => readPicture(digest, parts)))
  const encoded =
    processor === undefined || pictures.length === 0
      ? tokenizer(text, { add_special_tokens: !hasTemplate })
      : await (takesPicturesFirst.has(processor.constructor.name)
          ? processor(pictures, text)
          : processor(text, pictures))
  const ids = Array.from(encoded['input_ids']?.data ?? [], Number)
  const first = tokenizer.bos_token_id ?? tokenizer.eos_token_id
  // Something must precede the first token of a text that is scored by itself.
  if (ids.length === 0 && typeof first === 'number') ids.push(first)
  if (ids.length === 0) throw refuse('the prompt has no tokens')
  const ones = new Array<number>(ids.length).fill(1)
  return {
    key: JSON.stringify([text, digests]),
    ids,
    inputs: { ...encoded, input_ids: makeIds(parts.library, ids), attention_mask: makeIds(parts.library, ones) },
  }
}

/** Classes of processors that are called with the pictures before the text. Source: `models/…/processing_….js`. */
const takesPicturesFirst: ReadonlySet<string> = new Set([
  'LlavaProcessor',
  'PaliGemmaProcessor',
  'Florence2Processor',
  'Lfm2VlProcessor',
  'PixtralProcessor',
])

/** Renders the conversation with the model's chat template, up to where the answer begins. */
function render({ tokenizer, processor }: Parts, messages: readonly ChatMessage[]): string {
  const turns = messages.map(({ role, content }) => ({
    role,
    // Templates of models that read text alone expect one text.
    content:
      processor === undefined
        ? content.map(part => (part.type === 'text' ? part.text : '')).join('')
        : content.map(part => (part.type === 'text' ? { type: 'text', text: part.text } : { type: part.type })),
  }))
  return tokenizer.apply_chat_template(turns, { add_generation_prompt: true, tokenize: false })
}

function roomAfter(prompt: Prompt, parts: Parts): number {
  const room = parts.config.maxPositions - prompt.ids.length
  if (room <= 0) throw tooLong(prompt.ids.length, parts)
  return room
}

const tooLong = (tokens: number, { config }: Parts) =>
  refuse(`${tokens} tokens are more than the model's ${config.maxPositions} positions`)
