import { oneLine } from '../../../base/text/visible-text.js'
import { hash } from 'node:crypto'
import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import { hexDigits } from '../../../cache/digest.js'
import type { GenerationKwargs, Judgement, Run } from '../../../cache/records.js'
import type { ComparedDoc, DocPlace } from '../../../cache/store.js'
import { formatCount } from '../../../base/text/numbers.js'

const parts = ['prompts', 'generation arguments', 'targets'] as const

/** Counts the docs of two runs that were asked different things. The docs of the first run are added first. */
export class AskedDifferences {
  /** Digests of the first run's docs, in the order of `parts`. */
  readonly #first = new Map<string, readonly Digest[]>()
  readonly #differing: [number, number, number] = [0, 0, 0]
  readonly #generations = new WeakMap<GenerationKwargs, number>()
  #docs = 0
  #example: DocPlace | undefined

  addFirst(key: string, doc: ComparedDoc): void {
    this.#first.set(key, computeDigests(doc, this.#generations))
  }

  addSecond(key: string, doc: ComparedDoc): void {
    const first = this.#first.get(key)
    if (first === undefined) return
    this.#docs += 1
    for (const [part, digest] of computeDigests(doc, this.#generations).entries())
      if (digest !== nothing && first[part] !== nothing && digest !== first[part]) {
        this.#differing[part as 0 | 1 | 2] += 1
        if (part === 0) this.#example ??= { task: doc.task, index: doc.index }
      }
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

/** A number or a short text that stands for a part of what was asked. */
type Digest = number | string

/** Stands for a part that a doc does not have. */
const nothing = -1

/** @param generations digests of generation arguments, which are one object for many docs */
function computeDigests(
  { requests, record }: ComparedDoc,
  generations: WeakMap<GenerationKwargs, number>,
): readonly Digest[] {
  const [first] = requests
  // A file of scores alone has no records.
  const isUnknown = record.target === null && Object.keys(record.doc).length === 0
  if (first === undefined) return [nothing, nothing, isUnknown ? nothing : targetDigest(record)]
  // Repeats of a prompt are the same prompt.
  const inputs = [...new Set(requests.map(({ inputKey }) => inputKey))]
  const prompt = inputs.length === 1 ? Number.parseInt(hexDigits(first.inputKey).slice(0, 12), 16) : digest(inputs)
  const { generation } = first
  const generationDigest = generations.get(generation) ?? digest(generation)
  generations.set(generation, generationDigest)
  return [prompt, generationDigest, targetDigest(record)]
}

/** Most targets are a short text without choices, which stands for itself. A blank tells a longer one from JSON. */
function targetDigest({ target, choices = [] }: ComparedDoc['record']): Digest {
  if (typeof target !== 'string' || choices.length > 0) return digest([target, [...choices]])
  return target.length <= 64 ? target : digestText(` ${target}`)
}

const digest = (value: Json): number => digestText(canonicalJson(value))

/** The first 48 bits of a digest. */
const digestText = (text: string): number => Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16)

/** Follows two runs while their docs are read, the first one first. */
export interface FollowedDifferences {
  readonly first?: (key: string, doc: ComparedDoc) => void
  readonly second?: (key: string, doc: ComparedDoc) => void
  /** Lists the settings in which the two runs differ, once both are read. */
  notes(a: AskedRun, b: AskedRun): readonly string[]
  /** Returns the first doc of the second run that had another prompt in the first one, once both are read. */
  findExample(): DocPlace | undefined
}

/** @param isForeign whether a run is an imported log. Its requests are never those of a run, so only targets would tell, and `alignDocs` compares them. */
export function followDifferences(isForeign: boolean): FollowedDifferences {
  if (isForeign) return { notes: () => [], findExample: () => undefined }
  const asked = new AskedDifferences()
  return {
    first: (key, doc) => asked.addFirst(key, doc),
    second: (key, doc) => asked.addSecond(key, doc),
    notes: (a, b) => [...asked.notes(), ...taskDifferences(a, b)],
    findExample: () => asked.example,
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

/** The text by which two tasks have the same data, wherever their files are. */
export const makeDataKey = ({ dataset }: Pick<Run['asked']['tasks'][number], 'dataset'>): string =>
  canonicalJson([dataset.revision ?? null, Object.values(dataset.files).map(file => canonicalJson(file as Json))])
