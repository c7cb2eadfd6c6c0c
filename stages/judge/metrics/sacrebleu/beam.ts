/** The cells of a table of edit distances that lie near its diagonal, row by row; all others cost too much to be a way. */
export interface Beam {
  /** Of row `i`: the first column in it, and the one behind the last. */
  from(i: number): number
  to(i: number): number
  /** Where row `i` begins if the rows stand one behind the other; of the row behind the last: how many cells there are. */
  at(i: number): number
  readonly widest: number
}

const beamWidth = 25

/**
 * Within 25 columns of the diagonal of a table of `length` + 1 rows and `width` columns, or half of the diagonal's slope where that is more;
 * of the first and the last row all that is before and behind it.
 *
 * Source: sacrebleu 2.6.0, `metrics/lib_ter.py`, BeamEditDistance.
 */
export function beamOf(width: number, length: number): Beam {
  const ratio = length === 0 ? 1 : (width - 1) / length
  const beam = beamWidth < ratio / 2 ? Math.ceil(ratio / 2 + beamWidth) : beamWidth
  const from = (i: number): number => Math.max(0, i === 0 ? 0 : Math.floor(i * ratio) - beam)
  const to = (i: number): number => (i === 0 || i === length ? width : Math.min(width, Math.floor(i * ratio) + beam))
  const starts = new Float64Array(length + 2)
  let widest = 0
  for (let i = 0; i <= length; i++) {
    starts[i + 1] = (starts[i] ?? 0) + to(i) - from(i)
    widest = Math.max(widest, to(i) - from(i))
  }
  return { from, to, at: i => starts[i] ?? 0, widest }
}
