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
const kept = 1
const substituted = 2
const deleted = 3
const inserted = 4

/**
 * Levenshtein's distance within 25 words of the diagonal, whose slope is the ratio of the lengths. Of equal ways a match or a substitution
 * is taken before a deletion, and that before an insertion.
 *
 * Source: sacrebleu 2.6.0, `metrics/lib_ter.py`, BeamEditDistance.
 */
export function beamEditDistance(reference: readonly number[], length: number): BeamEditDistance {
  const width = reference.length + 1
  const costs = new Int32Array(width * (length + 1))
  const steps = new Uint8Array(costs.length)
  const spareCosts = new Int32Array(costs.length)
  const spareSteps = new Uint8Array(costs.length)
  for (let j = 0; j < width; j++) spareCosts[j] = costs[j] = j
  steps.fill(inserted, 0, width)
  const ratio = length === 0 ? 1 : reference.length / length
  const beam = beamWidth < ratio / 2 ? Math.ceil(ratio / 2 + beamWidth) : beamWidth

  const fillRow = (i: number, word: number | undefined, [cost, step]: readonly [Int32Array, Uint8Array]): void => {
    const row = i * width
    const above = row - width
    const diagonal = Math.floor(i * ratio)
    const end = i === length ? width : Math.min(width, diagonal + beam)
    cost.fill(unreached, row, row + width)
    step.fill(0, row, row + width)
    for (let j = Math.max(0, diagonal - beam); j < end; j++) {
      const isMatch = j > 0 && word === reference[j - 1]
      const across = j === 0 ? unreached : (cost[above + j - 1] ?? 0) + (isMatch ? 0 : 1)
      const down = (cost[above + j] ?? 0) + 1
      const along = j === 0 ? unreached : (cost[row + j - 1] ?? 0) + 1
      const least = Math.min(across, down, along)
      if (least >= unreached) continue
      cost[row + j] = least
      step[row + j] = across === least ? (isMatch ? kept : substituted) : down === least ? deleted : inserted
    }
  }

  return {
    align(words) {
      for (let i = 1; i <= length; i++) fillRow(i, words[i - 1], [costs, steps])
      return alignmentOf(steps, width, { length, distance: costs.at(-1) ?? 0 })
    },
    distance(words, unchanged) {
      const from = unchanged * width
      spareCosts.set(costs.subarray(from, from + width), from)
      for (let i = unchanged + 1; i <= length; i++) fillRow(i, words[i - 1], [spareCosts, spareSteps])
      return spareCosts.at(-1) ?? 0
    },
  }
}

function alignmentOf(
  steps: Uint8Array,
  width: number,
  { length, distance }: { readonly length: number; readonly distance: number },
): Alignment {
  const answerAt = new Array<number>(width - 1).fill(-1)
  const referenceErrs = new Array<boolean>(width - 1).fill(true)
  const answerErrs = new Array<boolean>(length).fill(true)
  let i = length
  let j = width - 1
  while (i > 0 || j > 0) {
    const step = steps[i * width + j] ?? 0
    if (step === 0) throw new Error('internal error: no way through the beam')
    if (step !== deleted) answerAt[j - 1] = i - 1
    if (step === kept) referenceErrs[j - 1] = answerErrs[i - 1] = false
    if (step !== inserted) i--
    if (step !== deleted) j--
  }
  return { distance, answerAt, referenceErrs, answerErrs }
}
