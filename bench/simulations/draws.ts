/** Draws scores of docs in clusters, for simulations. */
import { createSeededRandom } from '../../base/values/seeded-random.js'
import { normalQuantile } from '../../stages/judge/statistics/distributions/normal.js'

/** Draws numbers. The same seed gives the same numbers. */
export interface Draws {
  /** Draws a number from 0, below 1. */
  readonly uniform: () => number
  /** Draws a standard normal number. */
  readonly normal: () => number
}

/** Starts to draw numbers. Normal numbers come from the polar method: Marsaglia and Bray, SIAM Review 6 (1964). */
export function makeDraws(seed: number): Draws {
  const next = createSeededRandom(seed)
  const uniform = (): number => next() / 2 ** 32
  let spare: number | undefined
  return {
    uniform,
    normal() {
      const kept = spare
      spare = undefined
      if (kept !== undefined) return kept
      for (;;) {
        const [x, y] = [2 * uniform() - 1, 2 * uniform() - 1]
        const square = x * x + y * y
        if (square >= 1 || square === 0) continue
        const scale = Math.sqrt((-2 * Math.log(square)) / square)
        spare = y * scale
        return x * scale
      }
    },
  }
}

/** Draws √icc · u of the cluster + √(1 − icc) · e of the doc. */
export function drawScores(
  sizes: readonly number[],
  icc: number,
  { normal }: Pick<Draws, 'normal'>,
): readonly number[] {
  return sizes.flatMap(size => {
    const shared = Math.sqrt(icc) * normal()
    return Array.from({ length: size }, () => shared + Math.sqrt(1 - icc) * normal())
  })
}

/** Draws 0/1 scores of two models with one share `p` of right answers, and half of a doc's difficulty in common. @returns the differences */
export function drawBinaryDifferences(
  sizes: readonly number[],
  { icc, p }: { readonly icc: number; readonly p: number },
  { normal }: Pick<Draws, 'normal'>,
): readonly number[] {
  const limit = normalQuantile(p)
  return sizes.flatMap(size => {
    const [sharedA, sharedB] = [Math.sqrt(icc) * normal(), Math.sqrt(icc) * normal()]
    return Array.from({ length: size }, () => {
      const difficulty = normal()
      const isRight = (shared: number): number =>
        Number(shared + Math.sqrt((1 - icc) / 2) * (difficulty + normal()) < limit)
      return isRight(sharedA) - isRight(sharedB)
    })
  })
}

/** Names the cluster of each doc. */
export const nameClusters = (sizes: readonly number[]): readonly string[] =>
  sizes.flatMap((size, cluster) => new Array<string>(size).fill(String(cluster)))
