import { PipelineError } from '../../base/errors/errors.js'
import { goldenRows } from './golden.js'

/** A row of `tests/golden/stats/`: inputs, parameters, and the expected numbers with their tolerance. */
export interface GoldenVector<Input = unknown, Params = unknown, Expected = unknown> {
  readonly id: string
  readonly input: Input
  readonly params: Params
  readonly expected: Expected
  readonly tol: { readonly rel: number; readonly abs: number }
}

/** Reads the rows of a file whose id begins with one of the topics, such as `wilcoxon`. */
export const readVectors = (file: string, topics: readonly string[]): readonly GoldenVector[] =>
  goldenRows<GoldenVector>(`stats/${file}.jsonl.gz`).filter(row => topics.includes(readTopic(row)))

/** Lists the topics of a file, so that a test can tell that none was left out. */
export const listTopics = (file: string): readonly string[] => [
  ...new Set(goldenRows<GoldenVector>(`stats/${file}.jsonl.gz`).map(readTopic)),
]

const readTopic = ({ id }: GoldenVector): string => id.slice(0, id.indexOf('/'))

/**
 * Names each expected value that `got` misses, as `row.key: got instead of expected`. `NaN` in a row stands for a
 * value that does not exist: undefined, null or NaN.
 */
export function listMisses(
  { id, tol, expected: whole }: Pick<GoldenVector, 'id' | 'tol'> & { readonly expected?: unknown },
  got: unknown,
  expected: unknown = whole,
): readonly string[] {
  return compareParts(got, expected, tol, id)
}

/** Runs each row by the function of its topic. Names each value that is off, and each refusal that fails. */
export function runRows<Row extends GoldenVector>(
  rows: readonly Row[],
  computeByTopic: Readonly<Record<string, (row: Row) => unknown>>,
): readonly string[] {
  return rows.flatMap(row => {
    const compute = computeByTopic[readTopic(row)]
    if (compute === undefined) return [`${row.id}: no function computes it`]
    const { expected } = row
    if (typeof expected === 'object' && expected !== null && 'error' in expected)
      return listUnrefused(row.id, () => compute(row))
    return listMisses(row, compute(row))
  })
}

/** Names a call that is not refused with a usage error and a reason. */
export function listUnrefused(where: string, call: () => unknown): readonly string[] {
  try {
    call()
  } catch (error) {
    if (error instanceof PipelineError && error.code === 'usage' && error.message.length > 20) return []
    return [`${where}: ${String(error)} is no usage error with a reason`]
  }
  return [`${where} is not refused`]
}

function compareParts(got: unknown, want: unknown, tol: GoldenVector['tol'], path: string): readonly string[] {
  const miss = [`${path}: ${JSON.stringify(got)} instead of ${JSON.stringify(want)}`]
  if (want === 'NaN') return got == null || Number.isNaN(got) ? [] : miss
  if (want === 'Infinity' || want === '-Infinity') return String(got) === want ? [] : miss
  if (typeof want === 'number') {
    const isWithin = typeof got === 'number' && Math.abs(got - want) <= tol.abs + tol.rel * Math.abs(want)
    return isWithin || got === want ? [] : miss
  }
  if (typeof want !== 'object' || want === null) return got === want ? [] : miss
  if (typeof got !== 'object' || got === null) {
    const parts = Object.values(want)
    return parts.length > 0 && parts.every(one => one === 'NaN') && got == null ? [] : miss
  }
  if (Array.isArray(want) && want.length !== (got as ArrayLike<unknown>).length) return miss
  return Object.entries(want).flatMap(([key, value]) =>
    compareParts((got as Record<string, unknown>)[key], value, tol, `${path}.${key}`),
  )
}
