import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalQuantile } from '../../../../../stages/judge/statistics/distributions/normal.js'
import { tQuantile } from '../../../../../stages/judge/statistics/distributions/student-t.js'
import { meanBounds } from '../../../../../stages/judge/statistics/intervals/bounded-interval.js'
import { computeCoverage } from '../../../../../stages/judge/statistics/intervals/coverage.js'
import { combineMeans, poolLmmsStderr } from '../../../../../stages/judge/statistics/intervals/group-mean.js'
import type { Interval } from '../../../../../stages/judge/statistics/intervals/interval.js'
import { estimateMean, testMean, tInterval, zInterval } from '../../../../../stages/judge/statistics/intervals/mean.js'
import * as proportions from '../../../../../stages/judge/statistics/intervals/proportions.js'
import { listMisses, readVectors } from '../../../../support/golden-vectors.js'

interface Input {
  readonly x: number[]
  readonly mean: number
  readonly se: number
  readonly successes: number
  readonly n: number
  readonly p: number
  readonly scores: number[]
  readonly total: number
}
interface Params {
  readonly alpha: number
  readonly df: number
  readonly min: number
  readonly max: number
}

const proportionIntervals = (k: number, n: number, level: number): Record<string, Interval> => ({
  wald: proportions.wald(k, n, level),
  wilson: proportions.wilson(k, n, normalQuantile((1 + level) / 2)),
  wilsonCC: proportions.correctedWilson(k, n, level),
  clopperPearson: proportions.clopperPearson(k, n, level),
  agrestiCoull: proportions.agrestiCoull(k, n, level),
  jeffreys: proportions.jeffreys(k, n, level),
})

function shareInterval(k: number, n: number, level: number): Interval {
  const values = Array.from({ length: n }, (_, at) => (at < k ? 1 : 0))
  return tInterval(estimateMean(values)!, n - 1, level)
}

function combineGroup(row: { readonly input: unknown }): unknown {
  const { mean, se, n } = row.input as { mean: number[]; se: number[]; n: number[] }
  const combine = (weights: readonly number[]) => {
    const combined = combineMeans(mean.map((one, at) => ({ mean: one, stderr: se[at]!, weight: weights[at]! })))
    return { mean: combined.mean, se: combined.stderr }
  }
  const [micro, macro] = [combine(n), combine(n.map(() => 1))]
  const pooledStderr = poolLmmsStderr(se.map((stderr, at) => ({ stderr, n: n[at]! })))
  return { micro, macro, lmms: { micro: micro.mean, macro: macro.mean, pooledStderr } }
}

const compute: Record<string, (input: Input, params: Params) => unknown> = {
  mean({ x }) {
    const estimate = estimateMean(x)
    if (estimate === undefined) return { n: 0 }
    const { n, mean, variance, stderr } = estimate
    return { n, mean, var: variance, se: stderr, lmmsMeanStderr: stderr, lmmsStderrClt: stderr }
  },
  interval({ x }, { alpha }) {
    const estimate = estimateMean(x)!
    const df = estimate.n - 1
    const level = 1 - alpha
    return { t: tInterval(estimate, df, level), z: zInterval(estimate, level), df, tCrit: tQuantile(1 - alpha / 2, df) }
  },
  'interval-df'({ mean, se: stderr }, { df, alpha }) {
    const estimate = { mean, stderr, df }
    return { ci: tInterval(estimate, df, 1 - alpha), p0: testMean(estimate).p, zCi: zInterval(estimate, 1 - alpha) }
  },
  proportion: ({ successes, n }, { alpha }) => proportionIntervals(successes, n, 1 - alpha),
  coverage({ n, p }, { alpha }) {
    const names = [...Object.keys(proportionIntervals(0, 1, 0.95)), 't']
    const choose = (name: string, k: number): Interval =>
      name === 't' ? shareInterval(k, n, 1 - alpha) : proportionIntervals(k, n, 1 - alpha)[name]!
    return Object.fromEntries(names.map(name => [name, computeCoverage(n, p, k => choose(name, k))]))
  },
  bounds({ scores, total }, { min, max }) {
    const known = estimateMean(scores)
    const [worst, best] = meanBounds(known ?? { n: 0, mean: 0 }, total, [min, max])
    return { coverage: scores.length / total, mean: known?.mean, worst, best }
  },
}

describe('means and intervals equal the reference at every golden row', () => {
  test.each(Object.keys(compute))('%s', topic => {
    const rows = readVectors('means', [topic])
    const wrong = rows.flatMap(row => listMisses(row, compute[topic]!(row.input as Input, row.params as Params)))
    expect(wrong).toEqual([])
    expect(rows).not.toHaveLength(0)
  })

  test('group', () => {
    expect(readVectors('means', ['group']).flatMap(row => listMisses(row, combineGroup(row)))).toEqual([])
  })
})

test('the exact interval of a proportion covers at least its level, for every proportion', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, p) => {
      return computeCoverage(n, p, k => proportions.clopperPearson(k, n)) >= 0.95 - 1e-9
    }),
  )
})

test('every interval of a proportion mirrors that of the failures', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), fc.nat(2_000), (n, drawn) => {
      const k = drawn % (n + 1)
      const [there, back] = [proportionIntervals(k, n, 0.9), proportionIntervals(n - k, n, 0.9)]
      for (const [name, [low, high]] of Object.entries(there)) {
        expect(low).toBeCloseTo(1 - back[name]![1], 9)
        expect(high).toBeCloseTo(1 - back[name]![0], 9)
      }
    }),
  )
})

test("a group has no error if one task's error is unknown", () => {
  const known = { mean: 0.5, stderr: 0.1, weight: 1 }
  expect(combineMeans([known, { ...known, stderr: null }])).toEqual({ mean: 0.5, stderr: null })
})

test('the quantile of t is NaN for NaN, and the search for it ends', () => {
  expect([tQuantile(Number.NaN, 5), tQuantile(0.975, Number.NaN)]).toEqual([Number.NaN, Number.NaN])
})
