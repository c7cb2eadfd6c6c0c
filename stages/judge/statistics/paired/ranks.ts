/** Ranks of values from 1. Equal values share the mean of their ranks. */
export interface Ranks {
  readonly ranks: Float64Array
  /** The sizes of the groups of equal values, without groups of one, in ascending order of the values. */
  readonly ties: readonly number[]
}

/** Computes the ranks of values, which must not be NaN. */
export function rankValues(values: ArrayLike<number>): Ranks {
  const order = Uint32Array.from({ length: values.length }, (_, at) => at).sort(
    (left, right) => (values[left] ?? 0) - (values[right] ?? 0),
  )
  const ranks = new Float64Array(values.length)
  const ties: number[] = []
  for (let start = 0; start < order.length;) {
    let end = start + 1
    while (end < order.length && values[order[end] ?? 0] === values[order[start] ?? 0]) end += 1
    for (let at = start; at < end; at++) ranks[order[at] ?? 0] = (start + 1 + end) / 2
    if (end - start > 1) ties.push(end - start)
    start = end
  }
  return { ranks, ties }
}
