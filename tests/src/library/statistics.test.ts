import { expect, test } from 'vitest'
import { statistics } from '../../../src/index.js'
import { goldenRows } from '../../support/golden.js'
import { runRows, type GoldenVector } from '../../support/golden-vectors.js'

interface Input {
  readonly successes: number
  readonly n: number
  readonly p: number[]
  readonly onlyA: number
  readonly onlyB: number
  readonly x: number[]
  readonly ratings: number[][]
  readonly categories: number
  readonly y: number[]
  readonly judgeLabelled: number[]
  readonly judgeUnlabelled: number[]
  readonly d: number
}

interface Params {
  readonly alpha: number
  readonly tOpt: number
}

type Row = GoldenVector<Input, Params, Readonly<Record<string, unknown>>>

/** Runs the rows of a topic, and compares only the expected values that the function computes. */
function findMisses(
  file: string,
  topic: string,
  compute: (row: Row) => Readonly<Record<string, unknown>>,
): readonly string[] {
  const rows = goldenRows<Row>(`stats/${file}.jsonl.gz`).filter(({ id }) => id.startsWith(`${topic}/`))
  expect(rows.length).toBeGreaterThan(0)
  return rows.flatMap(row => {
    const got = Object.fromEntries(Object.entries(compute(row)).filter(([key]) => key in row.expected))
    const expected = Object.fromEntries(Object.keys(got).map(key => [key, row.expected[key]]))
    return runRows([{ ...row, expected }], { [topic]: () => got })
  })
}

test('the public statistics equal the reference in golden rows', () => {
  const misses = [
    findMisses('means', 'proportion', ({ input: { successes, n }, params: { alpha } }) => ({
      clopperPearson: statistics.computeClopperPearson(successes, n, 1 - alpha),
      agrestiCoull: statistics.computeAgrestiCoull(successes, n, 1 - alpha),
      jeffreys: statistics.computeJeffreys(successes, n, 1 - alpha),
      ...(alpha === 0.05 && { wilson: statistics.computeWilson(successes, n) }),
    })),
    findMisses('paired', 'mcnemar', ({ input: { onlyA, onlyB } }) => ({
      exactP: statistics.testMcnemar(onlyA, onlyB),
    })),
    findMisses('agreement', 'fleiss', ({ input: { ratings, categories } }) => ({
      ...statistics.computeFleissKappa(ratings, categories),
    })),
    findMisses('anytime', 'bernoulli-cs', ({ input, params }) => ({
      ci: statistics.computeBernoulliSequence(input, params),
    })),
    findMisses('anytime', 'group-sequential', ({ input, params: { alpha } }) => {
      const { looks } = input as unknown as { readonly looks: number }
      return { pocockZ: statistics.computePocockBoundary(looks, alpha) }
    }),
    findMisses('ppi', 'ppi', ({ input, params: { alpha } }) => {
      const scores = { labels: input.y, judged: input.judgeLabelled, unlabelled: input.judgeUnlabelled }
      const { mean, stderr, interval, weight, p, effectiveLabels } = statistics.estimatePpiMean(scores, {
        alpha,
        nullMean: 0.5,
      })
      return { auto: { lambda: weight, estimate: mean, se: stderr, ci: interval, 'pAgainst.5': p, effectiveLabels } }
    }),
  ]
  expect(misses.flat()).toEqual([])
})

test('adjusts p values by Holm, plans a comparison and updates a mean while values arrive', () => {
  expect(statistics.adjustPValues([0.01, 0.04, 0.03, 0.005], 'holm')).toEqual([0.03, 0.06, 0.06, 0.02])
  const { docs } = statistics.planPairedSize(0.2)
  expect(statistics.computePairedPower({ effect: 0.2, n: docs })).toBeGreaterThanOrEqual(0.8)
  const values = Array.from({ length: 100 }, (_, i) => i % 2)
  const [[low, high] = [1, 0]] = statistics.computeBettingSequence(values)
  expect(low).toBeLessThan(0.5)
  expect(high).toBeGreaterThan(0.5)
})
