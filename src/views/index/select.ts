import type { SampleFilter, SampleRow } from '../page-data/index.js'
import { cutFlag, emptyFlag, outcomes, type Columns, type Outcome } from './columns.js'
import { sortPositions } from './sort-positions.js'

export type Mark = NonNullable<SampleRow['marked']>

/** What a filter reads. */
export interface Selectable {
  readonly columns: Columns
  /** The names of the run's tasks. */
  readonly tasks: readonly string[]
  /** Metrics for which lower is better. */
  readonly lower: ReadonlySet<string>
  /** The values of the run that is compared with. */
  readonly others?: Float64Array
  /** What people said, by position. */
  readonly marks: ReadonlyMap<number, Mark>
  /** The positions that the search found, in ascending order. Absent without a search. */
  readonly found?: Int32Array
}

type Test = (position: number) => boolean

/** Returns the positions of the samples that a filter finds, in its order. */
export function select(from: Selectable, filter: SampleFilter): Int32Array {
  const tests = testsOf(from, filter)
  const found = tests === undefined ? new Int32Array(0) : passing(from, tests)
  return inOrder(from, filter, found)
}

function passing({ columns: { length }, found }: Selectable, tests: readonly Test[]): Int32Array {
  const candidates = found?.length ?? length
  const kept = new Int32Array(candidates)
  let count = 0
  for (let at = 0; at < candidates; at += 1) {
    const position = found === undefined ? at : (found[at] ?? 0)
    if (position >= length) break
    let passes = true
    for (let number = 0; passes && number < tests.length; number += 1) passes = tests[number]?.(position) === true
    if (!passes) continue
    kept[count] = position
    count += 1
  }
  return kept.slice(0, count)
}

/** @returns undefined if no sample can pass, for example because no task has the name */
function testsOf(from: Selectable, { only, task, labels = {}, marked }: SampleFilter): readonly Test[] | undefined {
  const { columns, tasks, marks } = from
  const tests: Test[] = []
  if (task !== undefined) {
    const { task: numbers } = columns.columns
    const wanted = new Set(tasks.flatMap((name, number) => (name === task ? [number] : [])))
    if (wanted.size === 0) return undefined
    tests.push(at => wanted.has(numbers[at] ?? -1))
  }
  for (const [field, label] of Object.entries(labels)) {
    const numbers = columns.labels(field)
    const wanted = columns.dictionary.fields.find(({ name }) => name === field)?.labels.indexOf(label, 1) ?? -1
    if (numbers === undefined || wanted === -1) return undefined
    tests.push(at => numbers[at] === wanted)
  }
  if (marked !== undefined) tests.push(at => marks.get(at) === marked)
  return [...tests, ...kindTests(from, only)]
}

const numberOf = (outcome: Outcome): number => outcomes.indexOf(outcome)

function kindTests(from: Selectable, kind: SampleFilter['only']): readonly Test[] {
  const { outcome, flags } = from.columns.columns
  const is = (...wanted: readonly Outcome[]): Test => {
    const table = outcomes.map(one => wanted.includes(one))
    return at => table[outcome[at] ?? 0] === true
  }
  const scored = numberOf('scored')
  switch (kind) {
    case 'all':
      return []
    case 'wrong': {
      const right = rightness(from)
      return [at => outcome[at] === scored && right(at) === false]
    }
    case 'right': {
      const right = rightness(from)
      return [at => outcome[at] === scored && right(at) === true]
    }
    case 'unparsed':
      return [is('unparsed')]
    case 'failed':
      return [is('failed', 'judge_failed', 'error')]
    case 'empty':
      return [at => ((flags[at] ?? 0) & emptyFlag) !== 0]
    case 'cut':
      return [at => ((flags[at] ?? 0) & cutFlag) !== 0]
    case 'labelled':
      return [at => from.marks.has(at)]
    case 'flipped':
    case 'improved':
    case 'worsened':
      return [changeTest(from, kind)]
  }
}

function changeTest(from: Selectable, kind: 'flipped' | 'improved' | 'worsened'): Test {
  const change = changes(from)
  if (kind === 'improved') return at => change(at) > 0
  if (kind === 'worsened') return at => change(at) < 0
  return at => change(at) !== 0 && !Number.isNaN(change(at))
}

const lowerByMetric = ({ columns, lower }: Selectable): readonly boolean[] =>
  columns.dictionary.metrics.map(name => lower.has(name))

/** Tells whether the first metric's value is right. Null without a value. */
export function rightness(from: Selectable): (position: number) => boolean | null {
  const { value, metric } = from.columns.columns
  const isLower = lowerByMetric(from)
  return at => {
    const own = value[at] ?? NaN
    if (Number.isNaN(own)) return null
    return isLower[metric[at] ?? 0] === true ? own <= 0 : own >= 1
  }
}

/** How much better a sample is than in the other run. NaN if one of them has no value. */
function changes(from: Selectable): (position: number) => number {
  const { value, metric } = from.columns.columns
  const { others } = from
  const isLower = lowerByMetric(from)
  if (others === undefined) return () => NaN
  return at => {
    const change = (value[at] ?? NaN) - (others[at] ?? NaN)
    return isLower[metric[at] ?? 0] === true ? -change : change
  }
}

function inOrder(from: Selectable, { sort = 'doc', descending = false }: SampleFilter, found: Int32Array): Int32Array {
  const { value, tokens, duration } = from.columns.columns
  switch (sort) {
    case 'doc':
      return descending ? found.reverse() : found
    case 'value':
      return sortPositions(found, at => value[at] ?? NaN, descending)
    case 'tokens':
      return sortPositions(found, at => ((tokens[at] ?? -1) === -1 ? NaN : (tokens[at] ?? 0)), descending)
    case 'duration':
      return sortPositions(found, at => duration[at] ?? NaN, descending)
    case 'change':
      return sortPositions(found, changes(from), descending)
  }
}
