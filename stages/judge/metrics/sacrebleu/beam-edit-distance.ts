/** How the words of an answer stand to those of a reference after as few insertions, deletions and substitutions as can be. */
export interface Alignment {
  readonly distance: number
  /** For each word of the reference, the answer's word at its place, or the one before where it has none (−1 at the beginning). */
  readonly answerAt: readonly number[]
  /** Whether the word is no match. */
  readonly referenceErrs: readonly boolean[]
  readonly answerErrs: readonly boolean[]
}

/** Edit distances of orders of one answer's words to one reference. */
export interface BeamEditDistance {
  align(words: readonly number[]): Alignment
  /** Of words that are the last aligned ones but for `others` in place of as many from `start` on; the number alone. */
  distance(others: readonly number[], start: number): number
}

const unreached = 1 << 29

/**
 * Levenshtein's distance within a beam along the diagonal. Of equal ways a match or a substitution is taken before a deletion, and that
 * before an insertion. Only what lies in the beam is kept: the whole table of two long texts fits into no memory.
 *
 * Source: sacrebleu 2.6.0, `metrics/lib_ter.py`, BeamEditDistance.
 */
export function beamEditDistance(reference: readonly number[], length: number): BeamEditDistance {
  const beam = beamOf(reference.length + 1, length)
  const costs = new Int32Array(beam.at(length + 1))
  for (let j = 0; j <= reference.length; j++) costs[j] = j
  // What it costs from a cell to the end: so of another order only the rows between what is as it was need be made.
  const remaining = new Int32Array(beam.at(length + 1))
  const rowOf = (table: Int32Array, i: number): Int32Array => table.subarray(beam.at(i), beam.at(i + 1))
  const [even, odd] = [new Int32Array(beam.widest), new Int32Array(beam.widest)]

  return {
    align(words) {
      for (let i = 1; i <= length; i++) {
        fillRow(rowOf(costs, i), { above: rowOf(costs, i - 1), beam, i, word: words[i - 1], reference })
      }
      for (let i = length; i >= 0; i--) {
        fillRemaining(rowOf(remaining, i), { below: rowOf(remaining, i + 1), beam, i, word: words[i], reference })
      }
      return alignmentOf({ costs, beam, words, reference })
    },
    distance(others, start) {
      let row = rowOf(costs, start)
      for (const [at, word] of others.entries()) {
        const [above, i] = [row, start + at + 1]
        row = (i % 2 === 0 ? even : odd).subarray(0, beam.to(i) - beam.from(i))
        fillRow(row, { above, beam, i, word, reference })
      }
      const rest = rowOf(remaining, start + others.length)
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

/** Row `i` holds the costs of the first `i` words against each beginning of the reference. */
function fillRow(row: Int32Array, { above, beam, i, word, reference }: Row): void {
  const [from, fromAbove] = [beam.from(i), beam.from(i - 1)]
  // As unreached as what lies before it.
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

/** The same from the end: row `i` holds what it costs to go on from the first `i` words and each beginning of the reference. */
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

/** Goes back from the last cost to the first. */
function alignmentOf({ costs, beam, words, reference }: Table): Alignment {
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

/** The cells of a table of edit distances that lie near its diagonal, row by row; all others cost too much to be a way. */
interface Beam {
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
function beamOf(width: number, length: number): Beam {
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
