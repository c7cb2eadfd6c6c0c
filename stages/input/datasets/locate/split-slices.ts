import { roundHalfToEven } from '../../../../base/values/rounding.js'
import { type Dataset, DatasetProblem, type Doc } from '../dataset.js'

/** One end of a slice: an index, which counts from the end if negative, or a share of all rows. */
interface Bound {
  readonly value: number
  readonly isPercent: boolean
}

/** A split, or a slice of its rows. */
export interface SplitPart {
  readonly name: string
  readonly from?: Bound
  readonly to?: Bound
}

const partPattern = /^([\w.-]+)(?:\[(?:(-?[\d_]+)(%)?)?:(?:(-?[\d_]+)(%)?)?\])?$/

/**
 * Parses a split as `datasets` writes it: `test`, `test[:10%]`, `train[10:20]`, `train[-100:]`,
 * `train+validation[:50]`.
 *
 * @throws DatasetProblem if it has another form.
 */
export function splitParts(text: string): readonly SplitPart[] {
  if (!/[[+]/.test(text)) return [{ name: text }]
  return text.split('+').map(partText => {
    const [, name, from, fromPercent, to, toPercent] = partPattern.exec(partText.trim()) ?? []
    if (name === undefined)
      throw new DatasetProblem(
        'split',
        `"${text}" names no split. Write test, test[:100], test[10%:20%], test[-50:] or train+test`,
      )
    return { name, ...parseBound('from', from, fromPercent), ...parseBound('to', to, toPercent) }
  })
}

function parseBound(
  name: 'from' | 'to',
  digits: string | undefined,
  percent: string | undefined,
): { from?: Bound; to?: Bound } {
  if (digits === undefined) return {}
  const value = Number(digits.replaceAll('_', ''))
  const isPercent = percent !== undefined
  if (isPercent && Math.abs(value) > 100)
    throw new DatasetProblem('split', `a share of a split lies between -100 % and 100 %, not at ${value} %`)
  return { [name]: { value, isPercent } }
}

/**
 * Takes a slice of a split. Rows are counted only where a bound needs their number and the file does not state it.
 */
export async function sliceDataset(dataset: Dataset, { from, to }: SplitPart): Promise<Dataset> {
  if (from === undefined && to === undefined) return dataset
  const { findCount, ...rest } = dataset
  const isRelative = [from, to].some(bound => bound !== undefined && (bound.isPercent || bound.value < 0))
  const count = dataset.count ?? (isRelative ? ((await findCount?.()) ?? (await countRows(dataset))) : undefined)
  const start = from === undefined ? 0 : place(from, count)
  const end = to === undefined ? Infinity : place(to, count)
  return {
    ...rest,
    ...(count === undefined ? {} : { count: Math.max(0, Math.min(end, count) - Math.min(start, count)) }),
    rows: options => between(dataset.rows(options), start, end),
  }
}

/**
 * Converts a bound to an index as in `datasets`. Shares are rounded to the nearest row, half to even, and bounds
 * are clamped.
 */
function place({ value, isPercent }: Bound, count = Infinity): number {
  const at = isPercent ? roundHalfToEven((value * count) / 100) : value
  return Math.min(Math.max(0, at < 0 ? at + count : at), count)
}

async function countRows(dataset: Dataset): Promise<number> {
  const columns = dataset.columns.filter(({ isMedia }) => !isMedia).slice(0, 1)
  const rows = dataset
    .rows(columns.length === 0 ? {} : { columns: columns.map(({ name }) => name) })
    [Symbol.asyncIterator]()
  let count = 0
  while ((await rows.next()).done !== true) count++
  return count
}

async function* between(rows: AsyncIterable<Doc>, start: number, end: number): AsyncGenerator<Doc> {
  if (start >= end) return
  let index = 0
  for await (const row of rows) {
    if (index >= start) yield row
    index += 1
    if (index >= end) return
  }
}
