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
  /** Of words that are the last aligned ones up to `unchanged`; the number alone. */
  distance(words: readonly number[], unchanged: number): number
}

const beamWidth = 25
const unreached = 1 << 29

/**
 * Levenshtein's distance within 25 words of the diagonal, whose slope is the ratio of the lengths. Of equal ways a match or a substitution
 * is taken before a deletion, and that before an insertion.
 *
 * Source: sacrebleu 2.6.0, `metrics/lib_ter.py`, BeamEditDistance.
 */
export function beamEditDistance(reference: readonly number[], length: number): BeamEditDistance {
  const width = reference.length + 1
  const aligned = new Int32Array(width * (length + 1))
  for (let j = 0; j < width; j++) aligned[j] = j
  const tried = aligned.slice()
  const ratio = length === 0 ? 1 : reference.length / length
  const beam = beamWidth < ratio / 2 ? Math.ceil(ratio / 2 + beamWidth) : beamWidth

  /** Row `i` holds the costs of the first `i` words against each beginning of the reference. */
  const fillRow = (costs: Int32Array, i: number, word: number | undefined): void => {
    const row = i * width
    const diagonal = Math.floor(i * ratio)
    const start = Math.max(0, diagonal - beam)
    const end = i === length ? width : Math.min(width, diagonal + beam)
    costs.fill(unreached, row, row + width)
    let left = unreached
    for (let j = start; j < end; j++) {
      const above = row - width + j
      const across = j === 0 ? unreached : (costs[above - 1] ?? 0) + (word === reference[j - 1] ? 0 : 1)
      left = Math.min(unreached, across, (costs[above] ?? 0) + 1, left + 1)
      costs[row + j] = left
    }
  }

  return {
    align(words) {
      for (let i = 1; i <= length; i++) fillRow(aligned, i, words[i - 1])
      return alignmentOf(aligned, words, reference)
    },
    distance(words, unchanged) {
      const from = unchanged * width
      tried.set(aligned.subarray(from, from + width), from)
      for (let i = unchanged + 1; i <= length; i++) fillRow(tried, i, words[i - 1])
      return tried.at(-1) ?? 0
    },
  }
}

/** Goes back from the last cost to the first. */
function alignmentOf(costs: Int32Array, words: readonly number[], reference: readonly number[]): Alignment {
  const width = reference.length + 1
  const costAt = (i: number, j: number): number => (i < 0 || j < 0 ? unreached : (costs[i * width + j] ?? unreached))
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
