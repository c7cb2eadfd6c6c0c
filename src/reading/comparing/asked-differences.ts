import { oneLine } from '../../../base/text/visible-text.js'
import { hash } from 'node:crypto'
import { growingColumn } from '../../../base/collections/growing-column.js'
import { OrderedKeys } from '../../../base/collections/ordered-keys.js'
import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import { hexDigits } from '../../../cache/digest.js'
import type { GenerationKwargs, Judgement, Run } from '../../../cache/records.js'
import type { ComparedDoc, ComparedRequest, DocPlace } from '../../../cache/store.js'
import { formatCount } from '../../../base/text/numbers.js'

const parts = ['prompts', 'generation arguments', 'targets'] as const

/** Counts the docs with different requests or targets in two runs. The docs of the first run are added first. */
export class AskedDifferences {
  readonly #digest: (doc: ComparedDoc) => AskedDigests
  readonly #keys = new OrderedKeys()
  /** Digests of the docs of the first run, by their positions. */
  readonly #prompts = growingColumn()
  readonly #generations = growingColumn()
  readonly #records = growingColumn()
  readonly #targets: Digest[] = []
  readonly #differing: [number, number, number] = [0, 0, 0]
  #docs = 0
  #example: DocPlace | undefined

  /** @param digest a function of {@link rememberDigests}, which several pairs of runs can share */
  constructor(digest = rememberDigests()) {
    this.#digest = digest
  }

  addFirst(key: string, doc: ComparedDoc): void {
    const digests = this.#digest(doc)
    this.#keys.add(key)
    this.#prompts.push(digests.prompt)
    this.#generations.push(digests.generation)
    this.#records.push(numberRecord(doc))
    this.#targets.push(digests.target)
  }

  addSecond(key: string, doc: ComparedDoc): void {
    const first = this.#keys.find(key)
    if (first === undefined) return
    this.#docs += 1
    const digests = this.#digest(doc)
    if (areDifferent(this.#prompts.at(first), digests.prompt)) {
      this.#differing[0] += 1
      this.#example ??= { task: doc.task, index: doc.index }
    }
    if (areDifferent(this.#generations.at(first), digests.generation)) this.#differing[1] += 1
    // Most runs share the records of their docs, which then need not be read again.
    const isSameRecord = numberRecord(doc) === this.#records.at(first)
    if (!isSameRecord && areDifferent(this.#targets[first] ?? nothing, digests.target)) this.#differing[2] += 1
  }

  /** The first doc of the second run that had another prompt in the first one. */
  get example(): DocPlace | undefined {
    return this.#example
  }

  /** One note for each part that differs. */
  notes(): string[] {
    return parts.flatMap((name, part) => {
      const differing = this.#differing[part] ?? 0
      return differing === 0 ? [] : [`${name} differ in ${formatCount(differing)} of ${formatCount(this.#docs)} docs`]
    })
  }
}

/** A number or short text that identifies a part of a doc's requests or target. */
type Digest = number | string

/** The digest of a missing part. */
const nothing = -1

const areDifferent = (first: Digest, second: Digest): boolean =>
  first !== nothing && second !== nothing && first !== second

/** The digests of a doc's requests and target. The target's digest is computed on demand, because the record must be parsed for it. */
class AskedDigests {
  readonly doc: ComparedDoc
  readonly prompt: number
  readonly generation: number
  #target: Digest | undefined

  constructor(doc: ComparedDoc, generations: WeakMap<GenerationKwargs, number>) {
    const [first] = doc.requests
    this.doc = doc
    this.prompt = first === undefined ? nothing : promptDigest(doc, first)
    this.generation = first === undefined ? nothing : digestOnce(first.generation, generations)
  }

  get target(): Digest {
    const isAsked = this.prompt !== nothing
    return (this.#target ??= !isAsked && isUnknown(this.doc) ? nothing : targetDigest(this.doc.record))
  }
}

/** Makes a function that digests docs, and remembers the last one for the next pair of runs. */
export function rememberDigests(): (doc: ComparedDoc) => AskedDigests {
  // Generation arguments are one object for many docs.
  const generations = new WeakMap<GenerationKwargs, number>()
  let last: AskedDigests | undefined
  return doc => (last?.doc === doc ? last : (last = new AskedDigests(doc, generations)))
}

/** Returns 48 bits of the key of a doc's record. NaN, which equals nothing, if the key is unknown. */
const numberRecord = ({ recordKey }: ComparedDoc): number =>
  recordKey === undefined ? NaN : firstBits(hexDigits(recordKey))

const firstBits = (hex: string): number => Number.parseInt(hex.slice(0, 12), 16)

/** A file of scores alone has no records. */
const isUnknown = ({ record }: ComparedDoc): boolean => record.target === null && Object.keys(record.doc).length === 0

/** Repeats of a prompt are the same prompt. */
function promptDigest({ requests }: ComparedDoc, first: ComparedRequest): number {
  if (requests.every(({ inputKey }) => inputKey === first.inputKey)) return firstBits(hexDigits(first.inputKey))
  return digest([...new Set(requests.map(({ inputKey }) => inputKey))])
}

function digestOnce(generation: GenerationKwargs, generations: WeakMap<GenerationKwargs, number>): number {
  const earlierDigest = generations.get(generation)
  if (earlierDigest !== undefined) return earlierDigest
  const computed = digest(generation)
  generations.set(generation, computed)
  return computed
}

/** Computes the digest of a target. A short text without choices is its own digest. The leading blank distinguishes it from JSON. */
function targetDigest({ target, choices = [] }: ComparedDoc['record']): Digest {
  if (typeof target !== 'string' || choices.length > 0) return digest([target, [...choices]])
  return target.length <= 64 ? target : digestText(` ${target}`)
}

const digest = (value: Json): number => digestText(canonicalJson(value))

/** The first 48 bits of a digest. */
const digestText = (text: string): number => firstBits(hash('sha256', text, 'hex'))

/** Follows two runs while their docs are read, the first one first. */
export interface FollowedDifferences {
  readonly first?: (key: string, doc: ComparedDoc) => void
  readonly second?: (key: string, doc: ComparedDoc) => void
  /** Lists the settings in which the two runs differ, once both are read. */
  notes(a: AskedRun, b: AskedRun): readonly string[]
  /** Returns the first doc of the second run that had another prompt in the first one, once both are read. */
  findExample(): DocPlace | undefined
}

/**
 * @param isForeign whether one of the runs is an imported log. Its requests always differ, and `alignDocs` compares the targets.
 * @param digest a function of {@link rememberDigests}, which all pairs of runs share
 */
export function followDifferences(isForeign: boolean, digest = rememberDigests()): FollowedDifferences {
  if (isForeign) return { notes: () => [], findExample: () => undefined }
  const differences = new AskedDifferences(digest)
  return {
    first: (key, doc) => differences.addFirst(key, doc),
    second: (key, doc) => differences.addSecond(key, doc),
    notes: (a, b) => [...differences.notes(), ...taskDifferences(a, b)],
    findExample: () => differences.example,
  }
}

interface AskedRun {
  readonly run: Pick<Run, 'asked'>
  readonly judgement: Pick<Judgement, 'tasks'>
}

/** Says in how many of the tasks that two runs share the data or the rules of scoring differ. */
export function taskDifferences(a: AskedRun, b: AskedRun): string[] {
  const shared = a.run.asked.tasks.flatMap((first, indexA) => {
    const indexB = b.run.asked.tasks.findIndex(({ name }) => name === first.name)
    const second = b.run.asked.tasks[indexB]
    return second === undefined
      ? []
      : [{ first, second, ruleA: a.judgement.tasks[indexA], ruleB: b.judgement.tasks[indexB] }]
  })
  const note = (about: string, isOther: (task: (typeof shared)[number]) => boolean): string[] => {
    const other = shared.filter(isOther).map(({ first }) => oneLine(first.name))
    const list = other.length > 3 ? `${other.slice(0, 3).join(', ')}, …` : other.join(', ')
    return other.length === 0
      ? []
      : [`${about} in ${formatCount(other.length)} of ${formatCount(shared.length)} tasks: ${list}`]
  }
  return [
    ...note('data differ', ({ first, second }) => makeDataKey(first) !== makeDataKey(second)),
    ...note(
      'the judge differs (rules of scoring, their code, or the judge model)',
      ({ ruleA, ruleB }) => ruleA?.config !== ruleB?.config || ruleA?.scorer !== ruleB?.scorer,
    ),
  ]
}

/** Makes a text that is equal for two tasks with the same data, wherever their files are. */
export const makeDataKey = ({ dataset }: Pick<Run['asked']['tasks'][number], 'dataset'>): string =>
  canonicalJson([dataset.revision ?? null, Object.values(dataset.files).map(file => canonicalJson(file as Json))])
