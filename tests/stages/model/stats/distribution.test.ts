import { expect, test } from 'vitest'
import { interpolatePercentile } from '../../../../base/collections/percentile.js'
import {
  computeHistogram,
  histogramQuantile,
  mergeHistograms,
  mergeMoments,
  computeMoments,
  standardDeviation,
} from '../../../../stages/model/stats/distribution.js'
import { lmmsSpaceTokens, lmmsSummary, type LoggedCall } from '../../../../stages/model/stats/lmms-summary.js'
import { requestSpeed, tokenRate } from '../../../../stages/model/stats/request-speed.js'
import { goldenRows } from '../../../support/golden.js'

/** Computes percentiles of values in any order; null if there are none. */
const percentiles = (values: readonly number[], percents: readonly number[]): readonly number[] | null => {
  const sorted = Float64Array.from(values).sort()
  return sorted.length === 0 ? null : percents.map(percent => interpolatePercentile(sorted, percent))
}

interface Input {
  readonly x: number[]
  readonly parts: number[][]
  readonly le: number[]
  readonly start: number
  readonly firstToken: number | null
  readonly end: number
  readonly tokens: number
  readonly seconds: number
  readonly calls: LoggedCall[]
  readonly text: string
}

interface Row {
  readonly id: string
  readonly input: Input
  readonly params: { readonly q: number[] }
  readonly expected: Readonly<Record<string, unknown>>
  readonly tol: { readonly rel: number; readonly abs: number }
}

/** What each kind of row is computed by, with the row's names for the results. */
const computed: Readonly<Record<string, (input: Input, params: Row['params']) => Readonly<Record<string, unknown>>>> = {
  percentile: ({ x }, { q }) => ({
    percentiles: percentiles(x, q),
    mean: computeMoments(x).mean,
    min: percentiles(x, [0])?.[0],
    max: percentiles(x, [100])?.[0],
  }),
  histogram({ parts, le }, { q }) {
    const each = parts.map(part => computeHistogram(part, le))
    const merged = each.reduce(mergeHistograms)
    return {
      counts: each.map(({ counts }) => counts),
      merged: merged.counts,
      sum: merged.sum,
      count: merged.counts.reduce((sum, count) => sum + count),
      quantiles: q.map(share => histogramQuantile(merged, share)),
      exact: percentiles(
        parts.flat(),
        q.map(share => share * 100),
      ),
    }
  },
  'moments-merge'({ parts }) {
    const merged = parts.map(computeMoments).reduce(mergeMoments)
    return { ...merged, sd: standardDeviation(merged) ?? 'NaN' }
  },
  timing({ firstToken, ...times }) {
    const speed = requestSpeed({ ...times, firstToken: firstToken ?? undefined })
    return {
      e2e: speed.endToEnd,
      ttft: speed.timeToFirstToken ?? null,
      tpot: speed.timePerOutputToken ?? null,
      speed: speed.streamSpeed,
      tokensPerSecond: speed.tokenRate,
    }
  },
  'lmms-summary': ({ calls }) => lmmsSummary(calls),
  'lmms-throughput': ({ tokens, seconds }) => ({ tokensPerSecond: tokenRate(tokens, seconds) }),
  'lmms-space-tokenizer': ({ text }) => ({ tokens: lmmsSpaceTokens(text) }),
}

/** Names each value that is outside the row's tolerance. */
function misses(where: string, got: unknown, want: unknown, tol: Row['tol']): readonly string[] {
  if (typeof want === 'number' && typeof got === 'number')
    return Math.abs(got - want) <= tol.abs + tol.rel * Math.abs(want) ? [] : [`${where}: ${got} instead of ${want}`]
  if (Array.isArray(want) && Array.isArray(got) && got.length === want.length)
    return want.flatMap((value, place) => misses(`${where}[${place}]`, got[place], value, tol))
  return got === want ? [] : [`${where}: ${JSON.stringify(got)} instead of ${JSON.stringify(want)}`]
}

const rows = goldenRows<Row>('stats/throughput.jsonl.gz')

test('percentiles, histograms, moments, request times and lmms-eval’s summary equal the reference', () => {
  const wrong = rows.flatMap(({ id, input, params, expected, tol }) => {
    const got = computed[id.slice(0, id.indexOf('/'))]!(input, params)
    const lost = id.startsWith('lmms-summary') ? Object.keys(got).filter(name => !(name in expected)) : []
    const found = Object.entries(expected).flatMap(([name, want]) => misses(`${id} ${name}`, got[name], want, tol))
    return [...found, ...lost.map(name => `${id}: ${name} is not expected`)]
  })
  expect(wrong).toEqual([])
})

test('lmms-eval’s summary counts requests by any of its names, and uses calls’ speeds if no time passed', () => {
  const calls = [
    { total_elapsed_time: 4, total_gen_tokens: 8, num_requests: 3 },
    { total_elapsed_time: 6, total_gen_tokens: 2, total_requests: 1, request_count: 9 },
  ]
  expect(lmmsSummary(calls)).toEqual({ total_gen_tokens: 10, total_elapsed_time: 10, avg_speed: 1, avg_latency: 2.5 })
  expect(lmmsSummary([{ avg_speed: 3 }, { avg_speed: 5 }])).toMatchObject({ avg_speed: 4 })
})

test('covers every kind of golden row', () => {
  expect(new Set(rows.map(({ id }) => id.slice(0, id.indexOf('/'))))).toEqual(new Set(Object.keys(computed)))
})
