/** An alignment of an answer's words with a reference's, with the fewest insertions, deletions and substitutions. */
export interface Alignment {
  readonly distance: number
  /**
   * For each word of the reference, the position of the aligned answer word. If there is none, it is that of the
   * word before, or −1 at the start.
   */
  readonly answerAt: readonly number[]
  /** For each word of the reference, whether it is not matched. */
  readonly referenceErrs: readonly boolean[]
  readonly answerErrs: readonly boolean[]
}

/** Edit distances between reorderings of one answer and one reference. */
export interface BeamEditDistance {
  align(words: readonly number[]): Alignment
  /** The distance of the words of the last alignment, with `others` in place of as many words from `start` on. */
  distance(others: readonly number[], start: number): number
}

const unreached = 1 << 29

/**
 * Levenshtein distance within a beam along the diagonal. Among equal paths, a match or substitution precedes a
 * deletion, which precedes an insertion. Only the beam is stored, since the table of two long texts would not fit
 * into memory.
 *
 * Source: sacrebleu 2.6.0, `metrics/lib_ter.py`, BeamEditDistance.
 */
export function beamEditDistance(reference: readonly number[], length: number): BeamEditDistance {
  const beam = makeBeam(reference.length + 1, length)
  const costs = new Int32Array(beam.at(length + 1))
  for (let j = 0; j <= reference.length; j++) costs[j] = j
  // The costs from each cell to the end. For another order, only the rows between the unchanged parts must be
  // computed.
  const remaining = new Int32Array(beam.at(length + 1))
  const takeRow = (table: Int32Array, i: number): Int32Array => table.subarray(beam.at(i), beam.at(i + 1))
  const [even, odd] = [new Int32Array(beam.widest), new Int32Array(beam.widest)]

  return {
    align(words) {
      for (let i = 1; i <= length; i++) {
        fillRow(takeRow(costs, i), { above: takeRow(costs, i - 1), beam, i, word: words[i - 1], reference })
      }
      for (let i = length; i >= 0; i--) {
        fillRemaining(takeRow(remaining, i), { below: takeRow(remaining, i + 1), beam, i, word: words[i], reference })
      }
      return traceAlignment({ costs, beam, words, reference })
    },
    distance(furtherWords, start) {
      let row = takeRow(costs, start)
      for (const [at, word] of furtherWords.entries()) {
        const [above, i] = [row, start + at + 1]
        row = (i % 2 === 0 ? even : odd).subarray(0, beam.to(i) - beam.from(i))
        fillRow(row, { above, beam, i, word, reference })
      }
      const rest = takeRow(remaining, start + furtherWords.length)
      return row.reduce((least, cost, at) => Math.min(least, cost + (rest[at] ?? unreached)), unreached)
    },
  }
}

interface Row {
  readonly above: Int32Array
  readonly beam: Beam
  readonly i: number
  readonly word: number | undefined
  readonly reference: readonly number[]
}

/** Computes row `i`: the costs of the first `i` words against each prefix of the reference. */
function fillRow(row: Int32Array, { above, beam, i, word, reference }: Row): void {
  const [from, fromAbove] = [beam.from(i), beam.from(i - 1)]
  // The cell before the beam counts as unreached.
  let left = unreached
  let diagonal = from === 0 ? unreached : (above[from - 1 - fromAbove] ?? unreached)
  for (let at = 0; at < row.length; at++) {
    const j = from + at
    const up = above[j - fromAbove] ?? unreached
    const across = diagonal + (word === reference[j - 1] ? 0 : 1)
    left = Math.min(unreached, across, up + 1, left + 1)
    row[at] = left
    diagonal = up
  }
}

interface RemainingRow extends Omit<Row, 'above'> {
  readonly below: Int32Array
}

/**
 * The same from the end. Row `i` holds the costs from the first `i` words and each prefix of the reference to the
 * end.
 */
function fillRemaining(row: Int32Array, { below, beam, i, word, reference }: RemainingRow): void {
  const [from, fromBelow] = [beam.from(i), beam.from(i + 1)]
  let right = below.length === 0 ? -1 : unreached
  for (let at = row.length - 1; at >= 0; at--) {
    const j = from + at
    const down = below[j - fromBelow] ?? unreached
    const across = (below[j + 1 - fromBelow] ?? unreached) + (word === reference[j] ? 0 : 1)
    right = Math.min(unreached, across, down + 1, right + 1)
    row[at] = right
  }
}

interface Table {
  readonly costs: Int32Array
  readonly beam: Beam
  readonly words: readonly number[]
  readonly reference: readonly number[]
}

/** Traces the path from the last cost back to the first. */
function traceAlignment({ costs, beam, words, reference }: Table): Alignment {
  const costAt = (i: number, j: number): number =>
    i < 0 || j < beam.from(i) || j >= beam.to(i) ? unreached : (costs[beam.at(i) + j - beam.from(i)] ?? unreached)
  const answerAt = new Array<number>(reference.length).fill(-1)
  const referenceErrs = new Array<boolean>(reference.length).fill(true)
  const answerErrs = new Array<boolean>(words.length).fill(true)
  let [i, j] = [words.length, reference.length]
  while (i > 0 || j > 0) {
    const cost = costAt(i, j)
    if (cost >= unreached) throw new Error('internal error: no way through the beam')
    const isMatch = i > 0 && j > 0 && words[i - 1] === reference[j - 1]
    const isAcross = cost === costAt(i - 1, j - 1) + (isMatch ? 0 : 1)
    const isDeleted = !isAcross && cost === costAt(i - 1, j) + 1
    if (!isDeleted) answerAt[j - 1] = i - 1
    if (isAcross && isMatch) referenceErrs[j - 1] = answerErrs[i - 1] = false
    if (isAcross || isDeleted) i--
    if (!isDeleted) j--
  }
  return { distance: costs.at(-1) ?? 0, answerAt, referenceErrs, answerErrs }
}

/**
 * The cells near the diagonal of a table of edit distances, row by row. All other cells are too expensive to be on
 * a path.
 */
interface Beam {
  /** The first column of row `i`. `to` is the column after the last. */
  from(i: number): number
  to(i: number): number
  /**
   * The position of row `i` if all rows are stored consecutively. For the row after the last it is the number of
   * cells.
   */
  at(i: number): number
  readonly widest: number
}

const beamWidth = 25

/**
 * The cells near the diagonal of a table with `length` + 1 rows and `width` columns. They are within 25 columns, or
 * within half of the slope if that is more. The first and the last row extend to the edge.
 *
 * Source: sacrebleu 2.6.0, `metrics/lib_ter.py`, BeamEditDistance.
 */
function makeBeam(width: number, length: number): Beam {
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
