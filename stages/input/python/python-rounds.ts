/** Runs conversations of a Python function: its doc after each answer, and its return value. */
import type { LoadedFunction } from '../../../cache/code/python/python-types.js'
import { plainValue, taggedValue, wireMedium } from '../../../cache/code/python/wire.js'
import { HeldFiles } from '../../../cache/media/held-files.js'
import { isList, isObject, type Json } from '../../../base/values/canonical-json.js'
import type { PythonFunction } from '../../../cache/code/python/python-function.js'
import type { JsonObject, RequestType } from '../../../cache/records.js'
import type { MediaStore, SourceFile } from '../../../cache/store.js'
import type { MediaIntake } from '../media/media-intake.js'
import type { Doc, NextQuestion, RoundState, StoredMedium } from '../tasks/doc.js'
import { fromWire, type HandedOver } from './wire-doc.js'

interface Handed {
  readonly wire: Json
  readonly files: HandedOver
}

const handedDocs = new WeakMap<Doc, Handed>()

/** Keeps a doc as Python got it, for the rounds after the first. */
export function keepHanded(doc: Doc, handed: Handed): void {
  handedDocs.set(doc, handed)
}

/**
 * Returns a doc in wire form with its media stored, or `undefined` if Python never got the doc.
 *
 * @throws MediumError
 */
export async function handedDoc(
  doc: Doc,
  media: MediaIntake,
): Promise<{ readonly doc: JsonObject; readonly files: readonly SourceFile[] } | undefined> {
  const handed = handedDocs.get(doc)
  if (handed === undefined) return undefined
  const files: SourceFile[] = []
  const storedDoc = await mapMedia(handed.wire, async path => {
    const { part, file } = await media.add(handed.files.get(path) ?? path)
    if (file !== undefined) files.push(file)
    return { ...part }
  })
  return { doc: storedDoc as JsonObject, files }
}

/** Replaces what each picture and recording of a value in wire form holds. */
async function mapMedia(value: Json, contentOf: (path: string) => Promise<Json> | Json): Promise<Json> {
  const medium = wireMedium(value)
  if (medium !== undefined)
    return medium.kind === 'image' ? { $image: await contentOf(medium.path) } : { $audio: await contentOf(medium.path) }
  if (isList(value)) {
    const items: Json[] = []
    for (const item of value) items.push(await mapMedia(item, contentOf))
    return items
  }
  if (!isObject(value)) return value
  const fields: [string, Json][] = []
  for (const [name, field] of Object.entries(value)) fields.push([name, await mapMedia(field ?? null, contentOf)])
  return Object.fromEntries(fields)
}

/** Replaces each stored medium of a doc by the path of its file, and collects them by path. */
async function openedDoc(value: Json, heldFiles: HeldFiles, files: HandedOver): Promise<Json> {
  if (isList(value)) return Promise.all(value.map(item => openedDoc(item, heldFiles, files)))
  if (!isObject(value)) return value
  const tagged = taggedValue(value)
  if ((tagged?.tag === '$image' || tagged?.tag === '$audio') && isObject(tagged.content)) {
    const medium = tagged.content as unknown as StoredMedium
    const path = await heldFiles.find(medium.media)
    files.set(path, medium)
    return tagged.tag === '$image' ? { $image: { path } } : { $audio: { path, decode: true } }
  }
  const fields = Object.entries(value).map(
    async ([name, field]) => [name, await openedDoc(field ?? null, heldFiles, files)] as const,
  )
  return Object.fromEntries(await Promise.all(fields))
}

/** The value that a function in Python returned after an answer. */
interface SaidByPython {
  readonly next: NextQuestion
  /** The answers, if the function replaced them. `null` is Python's `None`. */
  readonly outputs?: readonly (string | null)[]
}

let calls = 0

/**
 * Calls a function in Python for the next round, with the keywords that lmms-eval gives: `previous_output`,
 * `round_idx`, `previous_round_info` and `lmms_eval_specific_kwargs`.
 *
 * @throws PythonError where the function fails, Error where it returns another form.
 */
export async function askPython(
  python: PythonFunction,
  doc: JsonObject,
  options: {
    readonly task: string
    readonly kwargs: unknown
    readonly state: RoundState & { readonly type: RequestType }
    readonly store: Pick<MediaStore, 'openFile'>
  },
): Promise<SaidByPython> {
  const { task, kwargs, state, store } = options
  const files: HandedOver = new Map()
  await using heldFiles = new HeldFiles(digest => store.openFile(digest))
  const said = await python.call([await openedDoc(doc, heldFiles, files)], {
    kwargs: keywords(python.loaded, kwargs, state),
    label: `${task}, round ${state.round + 1} #${++calls}`,
  })
  return parseRoundResult(said, state, files)
}

function keywords(
  { parameters, takesKwargs }: LoadedFunction,
  kwargs: unknown,
  { outputs, round, info }: RoundState,
): Readonly<Record<string, Json>> {
  const isGiven = isObject(kwargs) && Object.keys(kwargs).length > 0
  const keywordValues = {
    lmms_eval_specific_kwargs: isGiven ? (kwargs as Json) : null,
    previous_output: outputs,
    round_idx: round,
    previous_round_info: info ?? null,
  }
  return Object.fromEntries(Object.entries(keywordValues).filter(([name]) => takesKwargs || parameters.includes(name)))
}

/**
 * Reads lmms-eval's forms: a text, `(visuals, text, is terminal, outputs, info)` of `doc_to_text`, and `(messages, is
 * terminal, outputs, info)` of `doc_to_messages`. An agent whose function returns anything else is done.
 */
function parseRoundResult(
  said: Json,
  state: RoundState & { readonly type: RequestType },
  files: HandedOver,
): SaidByPython {
  if (said === null || typeof said === 'string') return { next: said }
  const tagged = taggedValue(said)
  const items = tagged?.tag === '$tuple' && isList(tagged.content) ? tagged.content : []
  if (items.length === 5) {
    const [visuals = null, text = null, isTerminal, outputs = null, info = null] = items
    const shownText = text === null && state.type === 'generate_until_agentic' ? lastText(state) : text
    const media = visuals === null ? {} : { visuals: fromWire(visuals, files) }
    return makeRoundResult({ text: shownText, ...media }, { isTerminal, outputs, info })
  }
  if (items.length === 4) {
    const [messages = null, isTerminal, outputs = null, info = null] = items
    return makeRoundResult({ messages: fromWire(messages, files) }, { isTerminal, outputs, info })
  }
  if (state.type === 'generate_until_agentic') return { next: null }
  throw new Error(
    'must return a text or (visuals, text, terminal, outputs, info) where it is called with round_idx, as in lmms-eval',
  )
}

function makeRoundResult(
  fields: Readonly<Record<string, unknown>>,
  { isTerminal, outputs, info }: { readonly isTerminal: Json | undefined; readonly outputs: Json; readonly info: Json },
): SaidByPython {
  const next = { ...fields, terminal: isTruthy(isTerminal ?? null), info } as NextQuestion
  if (outputs === null) return { next }
  const texts = plainValue(outputs)
  if (!isList(texts) || !texts.every(text => text === null || typeof text === 'string'))
    throw new Error('returns outputs that are not a list of texts')
  return { next, outputs: texts }
}

/** The truth of Python for the values that functions return as a flag. */
const isTruthy = (value: Json): boolean => value !== null && value !== false && value !== 0 && value !== ''

/** The text of the last question, which an agent sees again where its function gives no other. */
function lastText({ messages }: RoundState): string {
  const question = messages.findLast(({ role }) => role === 'user')
  return (question?.content ?? []).flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
}
