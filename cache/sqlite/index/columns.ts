/** The columns of a run's samples that filters and sorts read, as arrays in the order of task and index: about 67 bytes a sample. */

import { outcomes, type SampleFacts } from '../../facts/sample-facts.js'

export const emptyFlag = 1
export const cutFlag = 2
export const disputedFlag = 4

/** The facts about one sample in the index. Whether the sample is right depends on the judgement, so it is decided at query time. */
export interface IndexedSample extends Omit<SampleFacts, 'isRight' | 'isLowerBetter'> {
  readonly task: number
  readonly index: number
  readonly tokens: number | undefined
  /** The characters of the answers. Undefined if there is no text. */
  readonly characters: number | undefined
  readonly durationMs: number | undefined
  /** Dollars. Undefined if it is not known. */
  readonly cost: number | undefined
  /** A number of task and doc id. Docs of two runs with the same number are the same doc. */
  readonly identity: number
  readonly labels: Readonly<Record<string, string>>
}

/** Texts that columns hold as numbers. Number 0 is "none". */
export interface Dictionary {
  readonly metrics: string[]
  readonly fields: { readonly name: string; readonly labels: string[] }[]
}

/** The fixed columns. Label columns follow. Wide numbers come first, so that each column is aligned. */
const fixed = {
  value: Float64Array,
  duration: Float64Array,
  cost: Float64Array,
  identity: Float64Array,
  index: Uint32Array,
  tokens: Int32Array,
  characters: Int32Array,
  task: Uint16Array,
  metric: Uint16Array,
  outcome: Uint8Array,
  flags: Uint8Array,
} as const
const fixedBytes = Object.values(fixed).reduce((sum, { BYTES_PER_ELEMENT }) => sum + BYTES_PER_ELEMENT, 0)

type FixedColumns = { -readonly [Name in keyof typeof fixed]: InstanceType<(typeof fixed)[Name]> }

const createColumns = (room: number): FixedColumns => ({
  value: new Float64Array(room),
  duration: new Float64Array(room),
  cost: new Float64Array(room),
  identity: new Float64Array(room),
  index: new Uint32Array(room),
  tokens: new Int32Array(room),
  characters: new Int32Array(room),
  task: new Uint16Array(room),
  metric: new Uint16Array(room),
  outcome: new Uint8Array(room),
  flags: new Uint8Array(room),
})

/** The facts about a run's samples, as one array for each fact. */
export class Columns {
  #of: FixedColumns
  #labels: Int32Array[] = []
  #room: number
  #length = 0
  readonly #numbers = new Map<string, number>()
  readonly dictionary: Dictionary

  /** @param dictionary the texts of columns that are read from a file */
  constructor(room = 1024, dictionary: Dictionary = { metrics: [''], fields: [] }) {
    this.#room = room
    this.#of = createColumns(room)
    this.dictionary = dictionary
    this.#fillLabels()
  }

  get length(): number {
    return this.#length
  }

  get bytes(): number {
    return this.#room * (fixedBytes + 4 * this.#labels.length)
  }

  get columns(): Readonly<FixedColumns> {
    return this.#of
  }

  /** The numbers of labels of a field. Undefined if no sample has the field. */
  labels(field: string): Int32Array | undefined {
    return this.#labels[this.dictionary.fields.findIndex(({ name }) => name === field)]
  }

  add(facts: IndexedSample): void {
    if (this.#length === this.#room) this.#grow(2 * this.#room)
    const at = this.#length
    const of = this.#of
    of.value[at] = facts.value ?? NaN
    of.duration[at] = facts.durationMs ?? NaN
    of.cost[at] = facts.cost ?? NaN
    of.identity[at] = facts.identity
    of.index[at] = facts.index
    of.tokens[at] = facts.tokens ?? -1
    of.characters[at] = facts.characters ?? -1
    of.task[at] = facts.task
    of.metric[at] = this.#numberOf('metric', facts.metric, this.dictionary.metrics)
    of.outcome[at] = outcomes.indexOf(facts.outcome)
    of.flags[at] = (facts.isEmpty ? emptyFlag : 0) | (facts.isCut ? cutFlag : 0) | (facts.isDisputed ? disputedFlag : 0)
    for (const [field, label] of Object.entries(facts.labels)) this.#setLabel(at, field, label)
    this.#length += 1
  }

  /** Writes the samples from `start` to `end` as bytes, column by column. */
  toBytes(start: number, end: number): Uint8Array {
    const parts = [...Object.values(this.#of), ...this.#labels].map(column => {
      const part = column.subarray(start, end)
      return new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
    })
    return Buffer.concat(parts)
  }

  /** Adds texts that a longer dictionary of the same build has. */
  learn({ metrics, fields }: Dictionary): void {
    this.dictionary.metrics.push(...metrics.slice(this.dictionary.metrics.length))
    for (const [number, { name, labels }] of fields.entries()) {
      const ownField = this.dictionary.fields[number]
      if (ownField === undefined) this.dictionary.fields.push({ name, labels: [...labels] })
      else ownField.labels.push(...labels.slice(ownField.labels.length))
    }
    this.#fillLabels()
  }

  /** Appends samples that `toBytes` wrote. @throws RangeError if the number of bytes does not fit the samples */
  addBytes(bytes: Uint8Array, samples: number, fields: number): void {
    if (bytes.length !== samples * (fixedBytes + 4 * fields)) throw new RangeError('a piece of the index is too short')
    this.#fillLabels()
    while (this.#length + samples > this.#room) this.#grow(Math.max(2 * this.#room, this.#length + samples))
    let offset = 0
    for (const column of [...Object.values(this.#of), ...this.#labels.slice(0, fields)]) {
      const length = samples * column.BYTES_PER_ELEMENT
      const target = new Uint8Array(column.buffer, column.byteOffset + this.#length * column.BYTES_PER_ELEMENT, length)
      target.set(bytes.subarray(offset, offset + length))
      offset += length
    }
    this.#length += samples
  }

  #fillLabels(): void {
    while (this.#labels.length < this.dictionary.fields.length) this.#labels.push(new Int32Array(this.#room))
  }

  #grow(room: number): void {
    const before = this.#of
    this.#of = createColumns(room)
    this.#of.value.set(before.value)
    this.#of.duration.set(before.duration)
    this.#of.cost.set(before.cost)
    this.#of.identity.set(before.identity)
    this.#of.index.set(before.index)
    this.#of.tokens.set(before.tokens)
    this.#of.characters.set(before.characters)
    this.#of.task.set(before.task)
    this.#of.metric.set(before.metric)
    this.#of.outcome.set(before.outcome)
    this.#of.flags.set(before.flags)
    this.#labels = this.#labels.map(column => {
      const larger = new Int32Array(room)
      larger.set(column)
      return larger
    })
    this.#room = room
  }

  #setLabel(at: number, field: string, label: string): void {
    const { fields } = this.dictionary
    const number = this.#numberOf('field', field, fields, name => ({ name, labels: [''] }))
    this.#fillLabels()
    const { labels } = fields[number] ?? { labels: [''] }
    const column = this.#labels[number]
    if (column !== undefined) column[at] = this.#numberOf(`label ${field}`, label, labels)
  }

  #numberOf(kind: string, text: string, entries: string[]): number
  #numberOf<T>(kind: string, text: string, entries: T[], make: (text: string) => T): number
  #numberOf<T>(kind: string, text: string, entries: T[], make = (label: string): T => label as T): number {
    const key = `${kind}\u0000${text}`
    let number = this.#numbers.get(key)
    if (number === undefined) {
      // The dictionary of a build that is continued has texts already.
      number = entries.findIndex(entry => JSON.stringify(entry) === JSON.stringify(make(text)))
      if (number === -1) number = entries.push(make(text)) - 1
      this.#numbers.set(key, number)
    }
    return number
  }
}
