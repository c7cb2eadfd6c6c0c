/** Which samples a filter finds, and in which order. The server and the report in one file share it, so it imports only types. */
import type { SampleFilter, SampleRow } from './page-data/index.js'

/** A row with what a filter reads beside it. */
export interface ComparableRow {
  readonly row: SampleRow
  readonly groups: Readonly<Record<string, string>>
  readonly lowerIsBetter: boolean
  readonly text: string
}

export function isFound(sample: ComparableRow, { only, task, labels = {}, marked, q = '' }: SampleFilter): boolean {
  const { row, groups, text } = sample
  if (task !== undefined && row.taskName !== task) return false
  if (Object.entries(labels).some(([field, label]) => groups[field] !== label)) return false
  if (marked !== undefined && row.marked !== marked) return false
  if (!isOfKind(sample, only)) return false
  const lowered = text.toLowerCase()
  return q
    .toLowerCase()
    .split(/\s+/u)
    .every(word => lowered.includes(word))
}

function isOfKind(sample: ComparableRow, kind: SampleFilter['only']): boolean {
  const { outcome, isRight, empty, cut, marked } = sample.row
  switch (kind) {
    case 'all':
      return true
    case 'wrong':
      return outcome === 'scored' && isRight === false
    case 'right':
      return outcome === 'scored' && isRight === true
    case 'unparsed':
      return outcome === 'unparsed'
    case 'failed':
      return outcome === 'failed' || outcome === 'judge_failed' || outcome === 'error'
    case 'empty':
      return empty === true
    case 'cut':
      return cut === true
    case 'labelled':
      return marked !== undefined
    case 'flipped':
      return changeOf(sample) !== 0
    case 'improved':
      return changeOf(sample) > 0
    case 'worsened':
      return changeOf(sample) < 0
  }
}

/** How much better a sample is than in the other run. It is 0 if one of them has no value. */
function changeOf({ row: { value, otherValue }, lowerIsBetter }: ComparableRow): number {
  if (value === null || otherValue === null || otherValue === undefined) return 0
  return lowerIsBetter ? otherValue - value : value - otherValue
}

/** Samples without the value that is sorted by come last, whichever the direction. */
export function orderOf({
  sort = 'doc',
  descending = false,
}: SampleFilter): ((a: ComparableRow, b: ComparableRow) => number) | undefined {
  if (sort === 'doc') return descending ? (a, b) => byPlace(b.row, a.row) : undefined
  const read = sortValues[sort]
  return (a, b) => {
    const [first, second] = [read(a), read(b)]
    if (first === undefined || second === undefined || first === second)
      return Number(first === undefined) - Number(second === undefined) || byPlace(a.row, b.row)
    return descending ? second - first : first - second
  }
}

const byPlace = (a: SampleRow, b: SampleRow): number => a.task - b.task || a.index - b.index

const sortValues = {
  value: ({ row }: ComparableRow) => row.value ?? undefined,
  tokens: ({ row }: ComparableRow) => row.outputTokens,
  duration: ({ row }: ComparableRow) => row.durationMs,
  change: (sample: ComparableRow) =>
    sample.row.value === null || sample.row.otherValue === null || sample.row.otherValue === undefined
      ? undefined
      : changeOf(sample),
} as const
