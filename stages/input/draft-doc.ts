import type { Json } from '../../base/values/canonical-json.js'
import { setValue } from '../../base/values/named-values.js'
import type {
  ChatMessage,
  ContentPart,
  Failure,
  GenerationKwargs,
  Input,
  JsonObject,
  RequestType,
} from '../../cache/records.js'
import type { DraftDoc, DraftRequest, SourceFile } from '../../cache/store.js'
import type { MediaIntake } from './media/media-intake.js'
import { MediumError } from './media/medium-error.js'
import { handedDoc } from './python/python-rounds.js'
import { isNoMedium, keepsMedia, withMedia } from './python/record-media.js'
import { asJson } from './render/judge-record.js'
import type { DraftMessage, DraftPart } from './render/messages.js'
import type { Rendered } from './render/renderer.js'
import { readShownTarget } from './shown-target.js'
import { isEditedMedium, isMediumSource, isStoredMedium } from './render/visuals.js'
import { type RoundRules, makeRoundFields } from './rounds/round-rules.js'
import type { Doc } from './tasks/doc.js'
import { shownText, type Task } from './tasks/task.js'

/** A rendered doc with its index and its unique name. */
export interface PlacedDoc {
  readonly doc: Doc
  readonly index: number
  /** Unique within the task. */
  readonly id: string
  readonly rendered: Rendered
}

/** Makes the requests of a doc. Returns a promise only where media must be stored first. */
export function draftDoc(
  placed: PlacedDoc,
  task: Task,
  options: {
    readonly media: MediaIntake
    readonly generation: GenerationKwargs
    /** The index of the first sample. @default 0 */
    readonly firstSample?: number
    /** The number of samples; overrides the task's. */
    readonly repeats?: number | undefined
    /** The rules of several rounds, if answers need them. */
    readonly rounds?: RoundRules
    /** True if requests name the doc's target. @default false */
    readonly showsTarget?: boolean
  },
): DraftDoc | Promise<DraftDoc> {
  const { rendered } = placed
  const { generation, firstSample = 0, rounds = {}, repeats = task.config.repeats, showsTarget = false } = options
  if (rendered.type === 'failed')
    return failedDoc(placed, task, { class: 'invalid_request', reason: rendered.reason, firstSample, repeats })
  const { continuations } = rendered
  const drafts = rendered.contexts ?? [rendered.messages]
  const contexts = drafts.map(readyMessages)
  const forJudge = keepsMedia(task)
  if (!forJudge && rounds.by === undefined && contexts.every(messages => messages !== undefined))
    return readyDoc(placed, task, {
      continuations,
      contexts,
      generation,
      firstSample,
      repeats,
      rest: makeRoundFields(rounds),
      showsTarget,
    })
  return storedDoc(placed, { contexts: drafts, forJudge }, options).then(
    ({ contexts, doc, record, files }) => ({
      ...readyDoc({ ...placed, rendered: { ...rendered, record } }, task, {
        continuations,
        contexts,
        generation,
        firstSample,
        repeats,
        rest: makeRoundFields(rounds, doc),
        showsTarget,
      }),
      files,
    }),
    (error: unknown) => {
      if (!(error instanceof MediumError)) throw error
      return failedDoc(placed, task, { class: 'media', reason: shownText(task, error.message), firstSample, repeats })
    },
  )
}

async function storedDoc(
  { doc, rendered: { record } }: PlacedDoc,
  { contexts, forJudge }: { readonly contexts: readonly (readonly DraftMessage[])[]; readonly forJudge: boolean },
  { media, rounds }: { readonly media: MediaIntake; readonly rounds?: RoundRules },
) {
  const storedContexts = await Promise.all(
    contexts.map(messages => Promise.all(messages.map(message => storedMessage(message, media)))),
  )
  const whole =
    rounds?.by === undefined ? undefined : ((await handedDoc(doc, media)) ?? (await conversationDoc(doc, media)))
  const judged = forJudge ? await withMedia(record, doc, media) : { record, files: [] }
  const exampleMedia = countExampleMedia(contexts[0] ?? [])
  return {
    contexts: storedContexts.map(messages => messages.map(({ message }) => message)),
    ...(whole && { doc: whole.doc }),
    record: exampleMedia === 0 ? judged.record : { ...judged.record, exampleMedia },
    files: [...storedContexts.flat().flatMap(({ files }) => files), ...(whole?.files ?? []), ...judged.files],
  }
}

const countExampleMedia = (messages: readonly DraftMessage[]): number =>
  messages.flatMap(({ content }) => content).filter(part => part.type === 'medium' && part.isExample === true).length

/** The memory of a character of prompt text until it is stored. The text is in the doc, the messages, the key's preimage and the judge record. */
const bytesACharacter = 40

/** Estimates the bytes that a doc's media and texts hold in memory. */
export function heldBytes(rendered: Rendered): number {
  if (rendered.type === 'failed') return 0
  let bytes = 0
  for (const { content } of rendered.contexts?.flat() ?? rendered.messages)
    for (const part of content)
      bytes += part.type === 'medium' ? countMediumBytes(part) : part.text.length * bytesACharacter
  return bytes
}

function countMediumBytes({ source: shownMedium }: Extract<DraftPart, { type: 'medium' }>): number {
  const source = isEditedMedium(shownMedium) ? shownMedium.medium : shownMedium
  if (isStoredMedium(source)) return 0
  const bytes = typeof source === 'string' || source instanceof Uint8Array ? source : source.bytes
  return bytes?.length ?? 0
}

function readyDoc(
  placed: PlacedDoc,
  task: Task,
  parts: {
    /** The messages of each request, or one list for all requests. */
    readonly contexts: readonly (readonly ChatMessage[])[]
    readonly continuations: readonly (string | undefined)[]
    readonly generation: GenerationKwargs
    readonly firstSample: number
    readonly repeats: number
    readonly rest: Pick<Input, 'tools' | 'conversation'>
    readonly showsTarget: boolean
  },
): DraftDoc {
  const type = requestType(task)
  const { firstSample, repeats, generation, contexts, rest, showsTarget } = parts
  const { record } = placed.rendered
  const requests: DraftRequest[] = []
  const inputs = parts.continuations.map((continuation, at): Input => {
    const messages = contexts[at] ?? contexts[0] ?? []
    const target = showsTarget ? readShownTarget(record, continuation === undefined ? undefined : at) : {}
    return continuation === undefined
      ? { type, messages, ...rest, ...target }
      : { type, messages, continuation, ...target }
  })
  const { choices = [] } = record
  const alone = asksWithoutContext(task)
    ? inputs.map((input, at) => ({
        ...input,
        messages: noContext,
        // Without their contexts, all requests would be equal.
        ...(contexts.length > 1 && { continuation: `${task.config.target_delimiter}${choices[at]}` }),
      }))
    : []
  for (const [choice, input] of [...inputs, ...alone].entries()) {
    for (let sample = 0; sample < repeats; sample++)
      requests.push({ choice, sample: firstSample + sample, input, generation })
  }
  return { index: placed.index, id: placed.id, record, requests }
}

/** Tells whether a task needs a second request for each choice without the question. `acc_mutual_info` subtracts its likelihood. */
const asksWithoutContext = ({ config }: Task): boolean =>
  config.output_type === 'multiple_choice' &&
  (config.metric_list ?? []).some(({ metric }) => metric === 'acc_mutual_info')

const noContext: readonly ChatMessage[] = [{ role: 'user', content: [{ type: 'text', text: '' }] }]

/** Records the same failure for every request of a doc. */
function failedDoc(
  placed: PlacedDoc,
  task: Task,
  why: {
    readonly class: Failure['class']
    readonly reason: string
    readonly firstSample: number
    readonly repeats: number
  },
): DraftDoc {
  const { record } = placed.rendered
  const { id } = placed
  const failure: Failure = { class: why.class, message: `${task.name}/${id}: ${why.reason}`, attempts: 0 }
  const options = task.config.output_type === 'multiple_choice' ? (record.choices?.length ?? 1) : 1
  const choices = asksWithoutContext(task) ? 2 * options : options
  const requests = Array.from({ length: choices * why.repeats }, (_, at): DraftRequest => ({
    choice: Math.floor(at / why.repeats),
    sample: why.firstSample + (at % why.repeats),
    failure,
  }))
  return { index: placed.index, id, record, requests }
}

/** The request type that a task's requests are stored with. */
export const requestType = (task: Pick<Task, 'config'>): RequestType =>
  task.config.output_type === 'multiple_choice' ? 'loglikelihood' : task.config.output_type

function readyMessages(messages: readonly DraftMessage[]): readonly ChatMessage[] | undefined {
  const ready = messages.map(readyMessage)
  return ready.every(message => message !== undefined) ? ready : undefined
}

function readyMessage(message: DraftMessage): ChatMessage | undefined {
  const content: ContentPart[] = []
  for (const part of message.content) {
    if (part.type === 'medium') return undefined
    content.push(part)
  }
  return { role: message.role, content }
}

/**
 * Stores the media of a message.
 *
 * @throws MediumError
 */
export async function storedMessage(
  { role, content }: DraftMessage,
  media: MediaIntake,
): Promise<{ readonly message: ChatMessage; readonly files: readonly SourceFile[] }> {
  const storedParts = await Promise.all(
    content.map(async part => {
      if (part.type === 'text') return { part, file: undefined }
      const medium = await media.add(part.source)
      return part.derive === undefined ? medium : { ...medium, part: { ...medium.part, derive: part.derive } }
    }),
  )
  return {
    message: { role, content: storedParts.map(({ part }) => part) },
    files: storedParts.flatMap(({ file }) => (file === undefined ? [] : [file])),
  }
}

/** A doc as JSON, for a task's function that is called after the dataset was closed. */
interface ConversationDoc {
  readonly doc: JsonObject
  readonly files: readonly SourceFile[]
}

/**
 * Stores a doc's media, and replaces them by message parts.
 *
 * @throws MediumError
 */
async function conversationDoc(doc: Doc, media: MediaIntake): Promise<ConversationDoc> {
  const files: SourceFile[] = []
  const storedValue = async (value: unknown): Promise<Json | undefined> => {
    if (typeof value !== 'object' || value === null) return asJson(value)
    if (isNoMedium(value)) return null
    if (isMediumSource(value) || isEditedMedium(value)) {
      const { part, file } = await media.add(value)
      if (file !== undefined) files.push(file)
      // The spread copies the interface to a type with an index signature, as `Json` requires.
      return { ...part }
    }
    if (Array.isArray(value)) {
      const items: Json[] = []
      for (const item of value) items.push((await storedValue(item)) ?? null)
      return items
    }
    return storedFields(value)
  }
  const storedFields = async (value: object): Promise<JsonObject> => {
    const fields: Record<string, Json> = {}
    for (const [name, field] of Object.entries(value)) {
      const json = await storedValue(field)
      if (json !== undefined) setValue(fields, name, json)
    }
    return fields
  }
  return { doc: await storedFields(doc), files }
}
