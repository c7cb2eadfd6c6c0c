import { expect, test } from 'vitest'
import { incompleteBeta } from '../../../../stages/judge/statistics/distributions.js'
import { meanBounds } from '../../../../stages/judge/statistics/bounded-interval.js'
import { clusteredMean } from '../../../../stages/judge/statistics/mean.js'
import { mcnemar } from '../../../../stages/judge/statistics/compare-paired.js'
import { estimateMean, tInterval } from '../../../../stages/judge/statistics/mean.js'
import { normalCdf, normalQuantile } from '../../../../stages/judge/statistics/distributions.js'
import { pairedDifference } from '../../../../stages/judge/statistics/paired.js'
import { wilson } from '../../../../stages/judge/statistics/bounded-interval.js'
import { tCdf, tQuantile, tTwoSided } from '../../../../stages/judge/statistics/distributions.js'
import { goldenRows } from '../../../support/golden.js'

interface Row<Input, Expected> {
  readonly id: string
  readonly input: Input
  readonly params: Readonly<Record<string, string | number>>
  readonly expected: Expected
  readonly tol: { readonly rel: number; readonly abs: number }
}

/** Names each number that is outside the row's tolerance. */
function misses(row: Row<unknown, unknown>, got: readonly number[], expected: readonly number[]): readonly string[] {
  return expected.flatMap((want, i) => {
    const value = got[i] ?? Number.NaN
    const within = Math.abs(value - want) <= row.tol.abs + row.tol.rel * Math.abs(want)
    return within ? [] : [`${row.id}[${i}]: ${value} instead of ${want}`]
  })
}

test('the distributions equal the reference at every golden point', () => {
  const rows = goldenRows<Row<{ x: number[] }, number[]>>('stats/distributions.jsonl')
  const wrong = rows.flatMap(row => {
    const p = row.params as { dist: string; fn: string; df: number; a: number; b: number }
    const functions: Record<string, (x: number) => number> = {
      'norm sf': x => normalCdf(-x),
      't cdf': x => tCdf(x, p.df),
      't sf2': x => tTwoSided(x, p.df),
      't ppf': x => tQuantile(x, p.df),
      'beta cdf': x => incompleteBeta(p.a, p.b, x),
    }
    return misses(row, row.input.x.map(functions[`${p.dist} ${p.fn}`]!), row.expected)
  })
  expect(wrong).toEqual([])
})

type Means = Row<
  { x: number[]; successes: number; n: number; scores: number[]; total: number },
  {
    n: number
    mean: number
    var: number
    se: number
    t: [number, number]
    wilson: [number, number]
    worst: number
    best: number
  }
>
const kind = (row: Row<unknown, unknown>): string => row.id.split('/')[0]!

test('means, intervals, proportions and bounds equal the reference', () => {
  const wrong = goldenRows<Means>('stats/means.jsonl').flatMap(row => {
    const { input, expected } = row
    const params = row.params as { alpha: number; min: number; max: number }
    const z = normalQuantile(1 - params.alpha / 2)
    switch (kind(row)) {
      case 'proportion':
        return misses(row, wilson(input.successes, input.n, z), expected.wilson)
      case 'bounds': {
        const known = estimateMean(input.scores) ?? { n: 0, mean: 0 }
        return misses(row, meanBounds(known, input.total, [params.min, params.max]), [expected.worst, expected.best])
      }
      case 'interval': {
        const estimate = estimateMean(input.x)!
        return misses(row, tInterval(estimate, estimate.n - 1, 1 - params.alpha), expected.t)
      }
      default: {
        const estimate = estimateMean(input.x)
        if (estimate === undefined) return expected.n === 0 ? [] : [`${row.id} has no mean`]
        const { n, mean, variance, stderr } = estimate
        const { n: count, mean: m, var: v, se } = expected
        return misses(
          row,
          [n, mean, variance, stderr].slice(0, n < 2 ? 2 : 4),
          [count, m, v, se].slice(0, n < 2 ? 2 : 4),
        )
      }
    }
  })
  expect(wrong).toEqual([])
})

type Paired = Row<
  { a: number[]; b: number[]; cluster: string[]; onlyA: number; onlyB: number },
  {
    error?: string
    exactP: number
    diff: number
    t?: { p: number; df: number; se: number; ci: [number, number] }
    clustered?: { cr2: number; dfSatterthwaite: number }
  }
>

test('paired differences and McNemar equal the reference', () => {
  const wrong = goldenRows<Paired>('stats/paired.jsonl').flatMap(row => {
    const { input, expected } = row
    if (kind(row) === 'mcnemar') return misses(row, [mcnemar(input.onlyA, input.onlyB)], [expected.exactP])
    const plain = pairedDifference(input.b, input.a)
    if (expected.error !== undefined) return plain === undefined ? [] : [`${row.id} is not refused`]
    if (expected.t === undefined || expected.clustered === undefined)
      return misses(row, [plain!.difference], [expected.diff])
    const { t, clustered } = expected
    const byCluster = pairedDifference(input.b, input.a, input.cluster)!
    return [
      ...misses(
        row,
        [plain!.difference, plain!.stderr, ...plain!.interval, plain!.p],
        [expected.diff, t.se, ...t.ci, t.p],
      ),
      ...misses(row, [byCluster.stderr, byCluster.df], [clustered.cr2, clustered.dfSatterthwaite]),
    ]
  })
  expect(wrong).toEqual([])
})

type Clustered = Row<
  { x: number[]; cluster: string[] },
  { error?: string; mean: number; cr1: number; cr2: number; dfSatterthwaite: number; clusters: number }
>

test('clustered means equal the reference, and one cluster is refused', () => {
  const wrong = goldenRows<Clustered>('stats/clustered.jsonl').flatMap(row => {
    const { input, expected } = row
    const got = clusteredMean(input.x, input.cluster)
    if (expected.error !== undefined) return got === undefined ? [] : [`${row.id} is not refused`]
    const { mean, clusters, cr1, cr2, df } = got!
    return misses(
      row,
      [mean, clusters, cr1, cr2, df],
      [expected.mean, expected.clusters, expected.cr1, expected.cr2, expected.dfSatterthwaite],
    )
  })
  expect(wrong).toEqual([])
})
