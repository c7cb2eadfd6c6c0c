/** Selects and orders samples by a filter, in the report in one file. */
import type { KindFacts } from '../../../cache/store.js'
import { isInRange, measures, parseRanges } from '../../reading/samples/number-ranges.js'
import { computeChange, computeDifference, kindTest } from '../../reading/samples/sample-kinds.js'
import type { SampleFilter, SampleRow } from './data/index.js'

/** A row with the further values that a filter reads. */
export interface ComparableRow {
  readonly row: SampleRow
  readonly groups: Readonly<Record<string, string>>
  readonly text: string
}

export function isFound(
  sample: ComparableRow,
  { only, task, labels = {}, marked, ranges, q = '' }: SampleFilter,
): boolean {
  const { row, groups, text } = sample
  if (task !== undefined && row.taskName !== task) return false
  if (Object.entries(labels).some(([field, label]) => groups[field] !== label)) return false
  if (marked !== undefined && row.marked !== marked) return false
  if (!kindTest(only).passes(collectFacts(row))) return false
  const wanted = parseRanges(ranges ?? {})
  if (
    measures.some(measure => wanted[measure] !== undefined && !isInRange(readMeasure[measure](sample), wanted[measure]))
  )
    return false
  const lowered = text.toLowerCase()
  return q
    .toLowerCase()
    .split(/\s+/u)
    .every(word => lowered.includes(word))
}

/** Collects the facts that decide a row's kinds of samples. */
const collectFacts = ({
  outcome,
  isRight,
  empty,
  cut,
  disputed,
  marked,
  value,
  otherValue,
  isLowerBetter,
}: SampleRow): KindFacts => ({
  outcome,
  isRight,
  isEmpty: empty === true,
  isCut: cut === true,
  isDisputed: disputed === true,
  isLabelled: marked !== undefined,
  change: computeChange(value, otherValue, isLowerBetter === true),
})

/** Makes the comparison function of a sort order. Samples without the value come last in both directions. */
export function chooseOrder({
  sort = 'doc',
  descending = false,
}: SampleFilter): ((a: ComparableRow, b: ComparableRow) => number) | undefined {
  if (sort === 'doc') return descending ? (a, b) => byPlace(b.row, a.row) : undefined
  const read = sort === 'change' ? readChange : readMeasure[sort]
  return (a, b) => {
    const [first, second] = [read(a), read(b)]
    if (first === undefined || second === undefined || first === second)
      return Number(first === undefined) - Number(second === undefined) || byPlace(a.row, b.row)
    return descending ? second - first : first - second
  }
}

const byPlace = (a: SampleRow, b: SampleRow): number => a.task - b.task || a.index - b.index

/** Functions that read the numbers of a sample. */
export const readMeasure = {
  value: ({ row }: Pick<ComparableRow, 'row'>) => row.value ?? undefined,
  tokens: ({ row }: Pick<ComparableRow, 'row'>) => row.outputTokens,
  characters: ({ row }: Pick<ComparableRow, 'row'>) => row.characters,
  duration: ({ row }: Pick<ComparableRow, 'row'>) => row.durationMs,
  cost: ({ row }: Pick<ComparableRow, 'row'>) => row.cost,
} as const

const readChange = ({ row: { value, otherValue, isLowerBetter } }: ComparableRow): number | undefined =>
  computeDifference(value, otherValue, isLowerBetter === true) ?? undefined
