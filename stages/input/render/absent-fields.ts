/** Finds fields that a row lacks, and that a prompt prints as a word for nothing. */
import type { Doc } from '../tasks/doc.js'
import type { DraftMessage } from './messages.js'

/** The fields that a prompt reads. */
export interface PromptFields {
  /** The columns of the templates; undefined if a function may read any. */
  readonly read: readonly string[] | undefined
  /** All columns of the dataset. */
  readonly columns: readonly string[]
  /** The texts of the templates themselves, which may hold such words. */
  readonly literals: readonly string[]
}

/** The words that templates of Jinja and functions in JavaScript print for a missing value. */
const words = { template: /\bNone\b/g, code: /\b(?:undefined|null)\b/g }

/**
 * Lists the fields that a doc lacks and that its prompt prints: the prompt has more such words than the rest of the row and the templates. A field that a
 * template leaves out if it is empty is not listed.
 *
 * @param render makes the messages of the doc alone, without examples
 */
export function findAbsentFields(
  doc: Doc,
  { read, columns, literals }: PromptFields,
  render: () => readonly DraftMessage[],
): readonly string[] {
  const absent = (read ?? columns).filter(name => (doc[name] ?? null) === null)
  if (absent.length === 0) return []
  const word = read === undefined ? words.code : words.template
  const count = (texts: readonly string[]): number =>
    texts.reduce((sum, text) => sum + (text.match(word)?.length ?? 0), 0)
  const printed = count(
    render().flatMap(({ content }) => content.flatMap(part => (part.type === 'text' ? [part.text] : []))),
  )
  if (printed === 0) return []
  return printed > count([...literals, ...listTexts(doc)]) ? absent : []
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return []
  return Object.values(value).flatMap(listTexts)
}

/** Counts docs by the fields that they lack. */
export class AbsentFields {
  readonly #docs = new Map<string, { docs: number; readonly example: string }>()

  add(fields: readonly string[] | undefined, id: string): void {
    for (const field of fields ?? []) {
      const counted = this.#docs.get(field) ?? { docs: 0, example: id }
      counted.docs += 1
      this.#docs.set(field, counted)
    }
  }

  /** Says of each field how many docs lack it. @param task the task's name */
  describe(task: string): readonly string[] {
    return [...this.#docs].map(
      ([field, { docs, example }]) =>
        `${task}: the prompt of ${docs === 1 ? '1 doc' : `${docs.toLocaleString('en')} docs`} prints a word such as None, because ${docs === 1 ? 'its row has' : 'their rows have'} no "${field}": ${docs === 1 ? '' : 'the first is '}${example}. Fill it in, or write {% if ${field} %} around it`,
    )
  }
}
