import { oneLine } from '../../../base/text/visible-text.js'
import { hash } from 'node:crypto'
import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import { hexDigits } from '../../../cache/digest.js'
import type { GenerationKwargs, Judgement, Run } from '../../../cache/records.js'
import type { DocPlace, Sample } from '../../../cache/store.js'
import { formatCount } from '../../../base/text/numbers.js'

const parts = ['prompts', 'generation arguments', 'targets'] as const

/** Counts the docs of two runs that were asked different things. The docs of the first run are added first. */
export class AskedDifferences {
  /** Digests of the first run's docs, in the order of `parts`. */
  readonly #first = new Map<string, readonly number[]>()
  readonly #differing: [number, number, number] = [0, 0, 0]
  readonly #generations = new WeakMap<GenerationKwargs, number>()
  #docs = 0
  #example: DocPlace | undefined

  addFirst(doc: string, sample: Sample): void {
    this.#first.set(doc, computeDigests(sample, this.#generations))
  }

  addSecond(doc: string, sample: Sample): void {
    const first = this.#first.get(doc)
    if (first === undefined) return
    this.#docs += 1
    for (const [part, digest] of computeDigests(sample, this.#generations).entries())
      if (digest !== nothing && first[part] !== nothing && digest !== first[part]) {
        this.#differing[part as 0 | 1 | 2] += 1
        if (part === 0) this.#example ??= { task: sample.task, index: sample.index }
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

/** Stands for a part that a doc does not have. */
const nothing = -1

/** @param generations digests of generation arguments, which are one object for many docs */
function computeDigests({ items, record }: Sample, generations: WeakMap<GenerationKwargs, number>): readonly number[] {
  const requests = items.flatMap(({ request }) => (request === undefined ? [] : [request]))
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

/** Most targets are a text without choices, which needs no canonical form. A blank tells it from JSON. */
const targetDigest = ({ target, choices = [] }: Sample['record']): number =>
  typeof target === 'string' && choices.length === 0 ? digestText(` ${target}`) : digest([target, [...choices]])

const digest = (value: Json): number => digestText(canonicalJson(value))

/** The first 48 bits of a digest. */
const digestText = (text: string): number => Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16)

/** Follows two runs while their samples are read, the first one first. */
export interface FollowedDifferences {
  readonly first?: (doc: string, sample: Sample) => void
  readonly second?: (doc: string, sample: Sample) => void
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
    first: (doc, sample) => asked.addFirst(doc, sample),
    second: (doc, sample) => asked.addSecond(doc, sample),
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
