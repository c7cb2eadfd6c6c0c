import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clusteredMean } from '../../../../../stages/judge/statistics/clusters/clustered-mean.js'
import { testMean, tInterval } from '../../../../../stages/judge/statistics/intervals/mean.js'
import { attributeDifference } from '../../../../../stages/judge/statistics/paired/attribute-difference.js'
import {
  computeKendall,
  computePearson,
  computeSpearman,
} from '../../../../../stages/judge/statistics/paired/correlations.js'
import { testEquivalence } from '../../../../../stages/judge/statistics/paired/equivalence.js'
import {
  countPairs,
  mcnemar,
  mcnemarChiSquared,
  mcnemarMidP,
  signTest,
} from '../../../../../stages/judge/statistics/paired/mcnemar.js'
import { pairedDifference } from '../../../../../stages/judge/statistics/paired/paired-difference.js'
import { testAllFlips, testSignFlips, testWithFlips } from '../../../../../stages/judge/statistics/paired/sign-flips.js'
import { testSignedRanks, testSignedRanksExactly } from '../../../../../stages/judge/statistics/paired/wilcoxon.js'
import { listMisses, listTopics, readVectors } from '../../../../support/golden-vectors.js'

interface Input {
  readonly a: number[]
  readonly b: number[]
  readonly cluster: string[]
  readonly d: number[]
  readonly flips?: string[]
  readonly onlyA: number
  readonly onlyB: number
  readonly factors: string[]
  readonly score: Record<string, number>
}
interface Params {
  readonly alpha: number
  readonly margins: number[]
}

const computeMcnemar = (onlyA: number, onlyB: number) => {
  const [plain, corrected] = [false, true].map(isCorrected => mcnemarChiSquared(onlyA, onlyB, { isCorrected }))
  return {
    ...{ exactP: mcnemar(onlyA, onlyB), midP: mcnemarMidP(onlyA, onlyB) },
    ...{ chi2: plain?.chiSquared, pChi2: plain?.p, chi2Continuity: corrected?.chiSquared, pContinuity: corrected?.p },
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length

function compare({ a, b, cluster }: Input, { alpha, margins }: Params): unknown {
  // The reference returns a − b.
  const plain = pairedDifference(b, a)
  if ('none' in plain) return { error: plain.none }
  const { n, difference: diff, stderr: se, df, t, p, deviation } = plain
  const differences = a.map((one, at) => one - b[at]!)
  const counts = countPairs(a, b)
  const clustered = clusteredMean(differences, cluster)
  if ('none' in clustered) return { error: clustered.none }
  const { clusters, cr0, cr1, cr2, df: dfSatterthwaite } = clustered
  const byCluster = { mean: clustered.mean, stderr: cr1, df: clusters - 1 }
  const ci = tInterval({ mean: diff, stderr: se }, df, 1 - alpha)
  const { sign, p: signP } = signTest(differences)
  const forMargins = (estimate: { mean: number; stderr: number; df: number }) =>
    Object.fromEntries(margins.map(margin => [String(margin), testEquivalence(estimate, margin)]))
  return {
    ...{ n, meanA: mean(a), meanB: mean(b), diff },
    lmms: { mean_diff: diff, se_diff: se, ci_lower: ci[0], ci_upper: ci[1], t_stat: t, p_value: p, n },
    t: { t, p, df, se, ci },
    cohenDz: diff / deviation,
    ...{ pearson: computePearson(a, b), spearman: computeSpearman(a, b), kendallB: computeKendall(a, b) },
    clustered: {
      ...{ clusters, cr0, cr1, cr2, df: clusters - 1, dfSatterthwaite },
      ciCr1T: tInterval(byCluster, clusters - 1, 1 - alpha),
      ...testMean(byCluster),
    },
    tost: forMargins({ mean: diff, stderr: se, df }),
    tostClustered: forMargins(byCluster),
    sign: { M: sign, p: signP },
    ...(counts && {
      flips: { bothRight: counts.both, onlyA: counts.onlyA, onlyB: counts.onlyB, bothWrong: counts.neither },
      mcnemar: computeMcnemar(counts.onlyA, counts.onlyB),
    }),
  }
}

function rankTests({ d }: Input): unknown {
  const variants = (['wilcox', 'pratt', 'zsplit'] as const).flatMap(zeros =>
    [false, true].map(isCorrected => {
      const { w, z, p } = testSignedRanks(d, { zeros, isCorrected })
      return [isCorrected ? `${zeros}Cc` : zeros, { W: w, z, p }] as const
    }),
  )
  const { w, p } = testSignedRanksExactly(d)
  return { ...Object.fromEntries(variants), exact: { W: w, p }, exactTies: { W: w, p }, p: testSignedRanks(d).p }
}

function flipTests({ d, flips }: Input): unknown {
  if (flips === undefined) return { mean: mean(d), p: testAllFlips(d)?.p }
  const signs = flips.map(pattern => Array.from(pattern, one => (one === '+' ? 1 : -1)))
  const { p, pGreater, asExtreme, asExtremeGreater } = testWithFlips(d, signs)
  return {
    ...{ mean: mean(d), p, pGreater, pPlain: asExtreme! / flips.length },
    ...{ asExtremeTwoSided: asExtreme, asExtremeGreater },
  }
}

function clusterFlips({ a, b, cluster }: Input): unknown {
  const d = a.map((one, at) => one - b[at]!)
  const clustered = testSignFlips(d, { clusters: cluster })
  // The reference ignores the clusters in a paired t test.
  const plain = pairedDifference(b, a)
  if ('none' in clustered || 'none' in plain) throw new Error('the row has clusters and pairs')
  return { diff: mean(d), p: clustered.p, pIgnoringClusters: plain.p }
}

function attribute({ factors, score }: Input): unknown {
  const { effects, total } = attributeDifference(factors, mixture => score[mixture]!)
  return { phi: effects, total }
}

const compute: Record<string, (input: Input, params: Params) => unknown> = {
  compare,
  mcnemar: ({ onlyA, onlyB }) => computeMcnemar(onlyA, onlyB),
  wilcoxon: rankTests,
  permutation: flipTests,
  'permutation-cluster': clusterFlips,
  shapley: attribute,
}

describe('comparisons of two models equal the reference at every golden row', () => {
  test.each(Object.keys(compute))('%s', topic => {
    const rows = readVectors('paired', [topic])
    const wrong = rows.flatMap(row => listMisses(row, compute[topic]!(row.input as Input, row.params as Params)))
    expect(wrong).toEqual([])
    expect(rows).not.toHaveLength(0)
  })
})

test('rejects fewer than two pairs with a reason, as in the golden rows', () => {
  const reasons = readVectors('paired', ['compare-edge']).map(row => {
    const { a, b } = row.input as Input
    return [row.expected, pairedDifference(b, a)]
  })
  expect(reasons).not.toHaveLength(0)
  for (const [expected, got] of reasons) expect(got).toEqual({ none: (expected as { error: string }).error })
})

test('every topic of the golden comparisons has a test', () => {
  expect(new Set(listTopics('paired'))).toEqual(new Set([...Object.keys(compute), 'compare-edge', 'multiple']))
})

const halves = fc.integer({ min: -6, max: 6 }).map(one => one / 2)

test('random sign flips approximate the exact p', () => {
  const d = [0.3, -0.1, 0.45, 0.2, 0.05, -0.3, 0.6, 0.25, 0.15, 0.35]
  const exact = testAllFlips(d)!
  // A pattern of 1 and −1 for each number below 2¹⁰ lists all of them.
  const all = Array.from({ length: 1_024 }, (_, pattern) => d.map((_, at) => ((pattern >> at) & 1 ? 1 : -1)))
  const listed = testWithFlips(d, all)
  expect(exact.p).toBeCloseTo(listed.asExtreme! / 1_024, 12)
  expect(exact.pGreater).toBeCloseTo(listed.asExtremeGreater! / 1_024, 12)
  const many = Array.from({ length: 60 }, (_, at) => Math.sin(at) + 0.2 + at / 1e4)
  const [once, again] = [1, 1].map(seed => testSignFlips(many, { resamples: 500, seed }))
  expect(again).toEqual(once)
  expect(once).toHaveProperty('asExtreme')
})

test('the sign-flip test of 0/1 scores is McNemar’s exact test', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.nat(40), (plus, minus) => {
      const d = [...Array<number>(plus).fill(1), ...Array<number>(minus).fill(-1)]
      const found = testAllFlips(d)!
      return Math.abs(found.p - mcnemar(minus, plus)) <= 1e-12
    }),
  )
})

test('correlations and rank tests do not change with the order of docs', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(halves, halves), { minLength: 2, maxLength: 40 }), pairs => {
      const [a, b] = [pairs.map(([left]) => left), pairs.map(([, right]) => right)]
      for (const correlate of [computePearson, computeSpearman, computeKendall]) {
        const [there, back, turned] = [correlate(a, b), correlate(a.toReversed(), b.toReversed()), correlate(b, a)]
        expect(back ?? 2).toBeCloseTo(there ?? 2, 12)
        expect(turned ?? 2).toBeCloseTo(there ?? 2, 12)
      }
      const d = pairs.map(([left, right]) => left - right)
      const negated = d.map(one => -one)
      expect(testSignedRanks(negated)).toEqual(testSignedRanks(d))
      expect(testSignedRanksExactly(negated).p).toBeCloseTo(testSignedRanksExactly(d).p, 12)
    }),
  )
})

test('Kendall’s τ-b counts the pairs, ties included', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 2, maxLength: 25 }), pairs => {
      let [sum, left, right] = [0, 0, 0]
      for (const [at, [a, b]] of pairs.entries())
        for (const [c, d] of pairs.slice(at + 1)) {
          sum += Math.sign(a - c) * Math.sign(b - d)
          left += Math.abs(Math.sign(a - c))
          right += Math.abs(Math.sign(b - d))
        }
      const want = left * right === 0 ? undefined : sum / Math.sqrt(left * right)
      const got = computeKendall(
        pairs.map(([a]) => a),
        pairs.map(([, b]) => b),
      )
      return want === undefined ? got === undefined : Math.abs(got! - want) <= 1e-12
    }),
  )
})

test('the effects of factors add up to the whole difference', () => {
  const score = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(fc.array(score, { minLength: 16, maxLength: 16 }), scores => {
      const read = (mixture: string): number => scores[parseInt(mixture.replaceAll('A', '0').replaceAll('B', '1'), 2)]!
      const { effects, total } = attributeDifference(['data', 'prompt', 'model', 'judge'], read)
      return Math.abs(Object.values(effects).reduce((sum, one) => sum + one, 0) - total) <= 1e-12
    }),
  )
})

test('two models that differ by less than the margin are equivalent, and others are not', () => {
  const estimate = { mean: 0.01, stderr: 0.01, df: 200 }
  expect(testEquivalence(estimate, 0.05).p).toBeLessThan(0.001)
  expect(testEquivalence(estimate, 0.01).p).toBeCloseTo(0.5, 12)
})
