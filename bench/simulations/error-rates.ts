/** Simulated error rates of the statistics, for docs in clusters. The draws are seeded. */
import { addBootstrap } from '../../stages/judge/aggregations/bootstrap-summary.js'
import { collectTerms } from '../../stages/judge/statistics/resampling/doc-terms.js'
import { clusteredMean } from '../../stages/judge/statistics/clusters/clustered-mean.js'
import { normalQuantile } from '../../stages/judge/statistics/distributions/normal.js'
import { estimateMean, testMean } from '../../stages/judge/statistics/intervals/mean.js'
import { drawBinaryDifferences, drawScores, makeDraws, nameClusters } from './draws.js'

/** A process of docs: clusters of given sizes whose docs correlate by `icc`. */
export interface SimulatedCell {
  readonly sizes: readonly number[]
  /** The intraclass correlation, 0 … 1. */
  readonly icc: number
  /** The share of right answers of 0/1 scores of two models. Normal differences if it is absent. */
  readonly p?: number
  readonly repetitions: number
  readonly seed: number
}

/** The shares of repetitions in which a test at 5 % rejects a true null hypothesis. */
export interface ErrorRates {
  /** The paired t test, which ignores clusters. */
  readonly plain: number
  /** CR1 with t(G − 1). */
  readonly cr1: number
  /** CR2 with Bell and McCaffrey's degrees of freedom, the default of comparisons. */
  readonly cr2: number
}

/** Simulates the rates of false findings of paired comparisons. */
export function simulateErrorRates({ sizes, icc, p, repetitions, seed }: SimulatedCell): ErrorRates {
  const draws = makeDraws(seed)
  const clusters = nameClusters(sizes)
  const counts = { plain: 0, cr1: 0, cr2: 0 }
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const differences =
      p === undefined ? drawScores(sizes, icc, draws) : drawBinaryDifferences(sizes, { icc, p }, draws)
    const plain = estimateMean(differences)
    const clustered = clusteredMean(differences, clusters)
    if (plain === undefined || 'none' in clustered) continue
    const { mean, cr1, cr2, df } = clustered
    const rejects = (stderr: number, degrees: number): number =>
      Number(testMean({ mean, stderr, df: degrees }).p < 0.05)
    counts.plain += rejects(plain.stderr, plain.n - 1)
    counts.cr1 += rejects(cr1, sizes.length - 1)
    counts.cr2 += rejects(cr2, df)
  }
  return {
    plain: counts.plain / repetitions,
    cr1: counts.cr1 / repetitions,
    cr2: counts.cr2 / repetitions,
  }
}

/** A number whose bootstrap intervals are simulated. */
export type SimulatedNumber = 'f1' | 'ratio' | 'groups'

/**
 * Simulates how often the interval of an aggregation holds the true number: F1 of yes and no, a ratio of sums (which
 * word error rates and perplexities are), and the mean of three groups' means. Undefined if there is never an interval.
 */
export function simulateCoverage(
  number: SimulatedNumber,
  { sizes, icc, repetitions, seed }: Omit<SimulatedCell, 'p'>,
): number | undefined {
  const draws = makeDraws(seed)
  const isClustered = sizes.some(size => size > 1)
  const clusters = nameClusters(sizes)
  const { draw, truth, combine } = simulatedNumbers[number]
  let [covered, found] = [0, 0]
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const terms = collectTerms()
    for (const score of drawScores(sizes, icc, draws)) terms.addCells(draw(score, draws.normal))
    const sums: number[] = []
    terms.visit((_, cell, term) => void (sums[cell] = (sums[cell] ?? 0) + term))
    const value = combine(sums)
    const summary = { value, stderr: null, interval: null, intervalMethod: 'none' } as const
    const options = { clusters: isClustered ? clusters : undefined, seed: String(repetition) }
    const { interval } = addBootstrap(summary, { terms, combine }, options)
    if (interval === null) continue
    found += 1
    if (interval[0] <= truth && truth <= interval[1]) covered += 1
  }
  return found === 0 ? undefined : covered / found
}

interface NumberRule {
  /** Returns a doc's terms. @param score a standard normal number that docs of a cluster have partly in common */
  readonly draw: (score: number, drawNormal: () => number) => readonly (readonly [number, number])[]
  readonly truth: number
  readonly combine: (sums: ArrayLike<number>) => number
}

const simulatedNumbers: Readonly<Record<SimulatedNumber, NumberRule>> = {
  // Yes is right for 40 % of the docs, and 80 % of the answers are right: F1 is 2 · 0.32 / (0.4 + 0.32 + 0.12).
  f1: {
    draw(score, drawNormal) {
      const isGold = drawNormal() < normalQuantile(0.4)
      const isYes = score < normalQuantile(0.8) === isGold
      return [
        [0, isGold && isYes ? 1 : 0],
        [1, Number(isGold) + Number(isYes)],
      ]
    },
    truth: 0.64 / 0.84,
    combine: ({ 0: both = 0, 1: either = 0 }) => (2 * both) / either,
  },
  // Lengths are lognormal, and edits are a share of them that is lognormal, too.
  ratio: {
    draw(score, drawNormal) {
      const length = 10 * Math.exp(0.5 * drawNormal())
      return [
        [0, length * 0.2 * Math.exp(0.5 * score)],
        [1, length],
      ]
    },
    truth: 0.2 * Math.exp(0.125),
    combine: ({ 0: edits = 0, 1: length = 0 }) => edits / length,
  },
  groups: {
    draw(score, drawNormal) {
      const place = drawNormal()
      const group = place < -0.5 ? 0 : place < 0.8 ? 1 : 2
      return [
        [2 * group, score + group],
        [2 * group + 1, 1],
      ]
    },
    truth: 1,
    combine: sums => [0, 2, 4].reduce((mean, at) => mean + (sums[at] ?? 0) / (sums[at + 1] ?? 0) / 3, 0),
  },
}
