/** Keeps answers small enough for an agent's context: media are left out, and long texts and lists are cut with a note. */
import { isObject, type Json } from '../../../base/values/canonical-json.js'
import { PipelineError } from '../../../base/errors/errors.js'

/** Maximum size of one answer, in characters of JSON. */
export const answerCharacters = 100_000

/** The maximum lengths of texts and lists, in the order in which they are tried. */
const steps = [
  { characters: 20_000, entries: 2000 },
  { characters: 5000, entries: 500 },
  { characters: 2000, entries: 200 },
  { characters: 500, entries: 50 },
  { characters: 200, entries: 20 },
  { characters: 100, entries: 5 },
] as const

/** The minimum number of fields that objects keep. The program's own records have fewer. */
const leastFields = 40
/** The maximum number of notes about cuts. The last one counts the rest. */
const mostNotes = 20

/** A value after the cuts that make it fit. */
export interface Fitted {
  readonly value: Json
  /** The parts that were cut. */
  readonly cut: readonly string[]
}

/**
 * Cuts a value down to a size. Texts and lists stay texts and lists, so that the value keeps its schema.
 *
 * @param most in characters of JSON
 * @throws PipelineError if no cut makes it small enough
 */
export function fitValue(original: object, most: number = answerCharacters): Fitted {
  // Undefined fields are gone after this.
  const value = withoutMedia(JSON.parse(JSON.stringify(original)) as Json)
  if (computeSize(value) <= most) return { value, cut: [] }
  for (const step of steps) {
    const notes: string[] = []
    const smaller = cutValue(value, '', step, notes)
    if (computeSize(smaller) + computeSize(shortenNotes(notes)) <= most)
      return { value: smaller, cut: shortenNotes(notes) }
  }
  throw new PipelineError('usage', `the answer is larger than ${most} characters, even with its texts and lists cut`)
}

const computeSize = (value: unknown): number => JSON.stringify(value).length

const shortenNotes = (notes: readonly string[]): readonly string[] =>
  notes.length <= mostNotes
    ? notes
    : [...notes.slice(0, mostNotes - 1), `and ${notes.length - mostNotes + 1} more fields`]

interface Step {
  readonly characters: number
  readonly entries: number
}

function cutValue(value: Json, path: string, step: Step, notes: string[]): Json {
  if (typeof value === 'string') return cutText(value, path, step, notes)
  if (Array.isArray(value)) {
    const list = value as readonly Json[]
    if (list.length > step.entries) notes.push(`${path}: ${step.entries} of ${list.length} entries`)
    return list.slice(0, step.entries).map((entry, index) => cutValue(entry, `${path}[${index}]`, step, notes))
  }
  if (!isObject(value)) return value
  const fields = Object.entries(value) as readonly (readonly [string, Json])[]
  const most = Math.max(step.entries, leastFields)
  if (fields.length > most) notes.push(`${path || 'the answer'}: ${most} of ${fields.length} fields`)
  return Object.fromEntries(
    fields.slice(0, most).map(([name, inner]) => {
      const key = path === '' ? name : `${path}.${name}`
      return [name, cutValue(inner, key, step, notes)]
    }),
  )
}

function cutText(text: string, path: string, { characters }: Step, notes: string[]): string {
  if (text.length <= characters) return text
  notes.push(`${path}: ${characters} of ${text.length} characters`)
  // Half of a surrogate pair is no text.
  return `${text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '')}… (${text.length - characters} more characters)`
}

/** Replaces the bytes of media. Pictures of a sample are named by digest; their bytes would fill the agent's context. */
function withoutMedia(value: Json): Json {
  if (typeof value === 'string') return value.replaceAll(dataUrl, (_, type: string) => `(${type}, not shown)`)
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutMedia)
  if (!isObject(value)) return value
  const fields = Object.entries(value) as readonly (readonly [string, Json])[]
  // Matches media as providers send them: the bytes beside their type.
  const hasType = fields.some(([name]) => /^(mime_?type|media_?type|format)$/i.test(name))
  return Object.fromEntries(
    fields.map(([name, inner]) => [
      name,
      hasType && name === 'data' && typeof inner === 'string' ? '(bytes, not shown)' : withoutMedia(inner),
    ]),
  )
}

const dataUrl = /data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.-]+)*;base64,[A-Za-z0-9+/_-]*={0,2}/g
