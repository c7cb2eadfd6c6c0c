import { isInRange, measures } from '../../facts/histogram.js'
import { isRightValue } from '../../facts/sample-facts.js'
import type { LabelValue } from '../../records.js'
import type { KindTest, SampleQuestion } from '../../store.js'
import { cutFlag, disputedFlag, emptyFlag, type Columns } from './columns.js'
import { changeNumber, compileKind, factNumber, rightNumber } from './compile-kind.js'
import { readMeasure } from './measures.js'
import { sortPositions } from './sort-positions.js'

/** The columns and labels that a selection reads. */
export interface Selectable {
  readonly columns: Columns
  /** The names of the run's tasks. */
  readonly tasks: readonly string[]
  /** Tells for which metrics of a task lower is better. */
  readonly isLowerBetter: (task: string, metric: string) => boolean
  /** The values of the run to compare with. */
  readonly others?: Float64Array
  /** The current labels, by position. */
  readonly marks: ReadonlyMap<number, LabelValue>
  /** The positions that the search found, in ascending order. Absent without a search. */
  readonly found?: Int32Array
}

type Test = (position: number) => boolean

/** Returns the positions of the samples that match a question, in the question's order. */
export function select(from: Selectable, question: SampleQuestion): Int32Array {
  const tests = makeTests(from, question)
  const positions = tests === undefined ? new Int32Array(0) : selectPassing(from, tests)
  return inOrder(from, question, positions)
}

function selectPassing({ columns: { length }, found }: Selectable, tests: readonly Test[]): Int32Array {
  const candidates = found?.length ?? length
  const passingPositions = new Int32Array(candidates)
  let count = 0
  for (let at = 0; at < candidates; at += 1) {
    const position = found === undefined ? at : (found[at] ?? 0)
    if (position >= length) break
    let passes = true
    for (let number = 0; passes && number < tests.length; number += 1) passes = tests[number]?.(position) === true
    if (!passes) continue
    passingPositions[count] = position
    count += 1
  }
  return passingPositions.slice(0, count)
}

/** @returns undefined if no sample can pass, for example because no task has the name */
function makeTests(
  from: Selectable,
  { kind, task, labels = {}, marked, ranges = {} }: SampleQuestion,
): readonly Test[] | undefined {
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
  for (const measure of measures) {
    const range = ranges[measure]
    if (range === undefined) continue
    const numberAt = readMeasure(columns, measure)
    tests.push(at => isInRange(numberAt(at), range))
  }
  const ofKind = compileTest(from, kind)
  return ofKind === undefined ? tests : [...tests, ofKind]
}

/** Compiles the test of a kind. Returns undefined for a kind that contains all samples. */
function compileTest(from: Selectable, kind: KindTest): Test | undefined {
  const table = compileKind(kind)
  if (table.every(passes => passes === 1)) return undefined
  const { outcome, flags } = from.columns.columns
  const right = rightness(from)
  const change = changes(from)
  return at => {
    const rowFlags = flags[at] ?? 0
    const number = factNumber(
      outcome[at] ?? 0,
      rightNumber(right(at)),
      rowFlags & emptyFlag ? 1 : 0,
      rowFlags & cutFlag ? 1 : 0,
      rowFlags & disputedFlag ? 1 : 0,
      from.marks.has(at) ? 1 : 0,
      changeNumber(change(at)),
    )
    return table[number] === 1
  }
}

/** Tells whether lower is better for the first metric of a sample. */
export function lowerAt({
  columns,
  tasks,
  isLowerBetter,
}: Pick<Selectable, 'columns' | 'tasks' | 'isLowerBetter'>): (position: number) => boolean {
  const { task, metric } = columns.columns
  const { metrics } = columns.dictionary
  const table = tasks.map(name => metrics.map(metricName => isLowerBetter(name, metricName)))
  return at => table[task[at] ?? 0]?.[metric[at] ?? 0] === true
}

/** Tells whether the first metric's value is right. Null without a value. */
function rightness(from: Selectable): (position: number) => boolean | null {
  const { value } = from.columns.columns
  const isLower = lowerAt(from)
  return at => {
    const rowValue = value[at] ?? NaN
    return Number.isNaN(rowValue) ? null : isRightValue(rowValue, isLower(at))
  }
}

/** Returns how much better a sample is than in the other run. NaN if one of them has no value. */
function changes(from: Selectable): (position: number) => number {
  const { value } = from.columns.columns
  const { others } = from
  const isLower = lowerAt(from)
  if (others === undefined) return () => NaN
  return at => {
    const change = (value[at] ?? NaN) - (others[at] ?? NaN)
    return isLower(at) ? -change : change
  }
}

function inOrder(
  from: Selectable,
  { sort = 'doc', descending = false }: SampleQuestion,
  positions: Int32Array,
): Int32Array {
  switch (sort) {
    case 'doc':
      return descending ? positions.reverse() : positions
    case 'value':
    case 'tokens':
    case 'duration':
      return sortPositions(positions, readMeasure(from.columns, sort), descending)
    case 'change':
      return sortPositions(positions, changes(from), descending)
  }
}

/** The kind that contains all samples. */
export const anyKind: KindTest = { name: 'all', passes: () => true }

/** Returns whether a query lists all samples in their order, which needs no index. */
export const isPlain = ({
  kind,
  task,
  labels = {},
  marked,
  ranges = {},
  q = '',
  sort = 'doc',
  descending = false,
}: SampleQuestion): boolean =>
  compileKind(kind).every(passes => passes === 1) &&
  task === undefined &&
  marked === undefined &&
  Object.keys(labels).length === 0 &&
  Object.keys(ranges).length === 0 &&
  q.trim() === '' &&
  sort === 'doc' &&
  !descending
