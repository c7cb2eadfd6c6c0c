import { expect, test } from 'vitest'
import { without } from '../../../../base/values/without.js'
import type { Failure, ResponseMeta } from '../../../../cache/records.js'
import { statsCollector } from '../../../../stages/model/stats/stats-collector.js'
import type { RunStats, TaskStats } from '../../../../stages/model/stats/run-stats.js'
import { plain } from '../../../../src/present/text/layout/paint.js'
import { throughputJson } from '../../../../src/present/json/throughput-json.js'
import { throughputLines } from '../../../../src/present/text/throughput/throughput-lines.js'
import { throughputSvg } from '../../../../src/present/files/throughput-svg.js'
import { throughputTable } from '../../../../src/present/text/throughput/throughput-table.js'
import { answerMeta, timedRun } from '../../../support/answer-meta.js'

function figuresOf(metas: readonly ResponseMeta[], failures: readonly Failure[] = []): RunStats {
  const collector = statsCollector(timedRun, ({ outputTokens = 0 }) => outputTokens / 1000)
  for (const meta of metas) collector.add(meta)
  return collector.finish(failures)
}

const usage = { inputTokens: 100, cachedTokens: 40, outputTokens: 51, reasoningTokens: 20 }
const timing = { queueMs: 0, firstTokenMs: 200, sentBytes: 2_000, receivedBytes: 500 }

/** Four at once for ten seconds, a pause of half an hour, and ten seconds more. */
const working = [0, 1_810_000].flatMap(from =>
  Array.from({ length: 40 }, (_, index) =>
    answerMeta(from + 1000 * Math.floor(index / 4), from + 1000 * Math.floor(index / 4) + 1000, { usage, timing }),
  ),
)
const throttled: Failure = { class: 'rate_limited', message: '', attempts: 5 }

test('prints in two lines the number, rate and cost of answers', () => {
  expect(throughputLines(figuresOf(working, [throttled]))).toEqual([
    '80 answers at 4.0/s · 204 tokens/s · p50 1.0 s · p90 1.0 s · p99 1.0 s · throttled 5.8 % (5 of 85 sent)',
    '8,000 tokens in · 4,080 out · $4.08',
  ])
})

test('reports how many second copies won and what they may have cost', () => {
  const figures = figuresOf([answerMeta(0, 1_000, { usage, hedges: 2, isHedgeFirst: true }), answerMeta(0, 1_000)])
  expect(throughputLines(figures)[0]).toContain(' · hedged 2, won 1')
  expect(throughputTable(figures, plain).join('\n')).toContain(
    '2 sent · 1 answered first · at most 200 tokens in and 102 out besides',
  )
  expect(throughputJson(figures)).toMatchObject({
    requests: { attempts: 4, retries: 0, hedges: 2, hedges_won: 1 },
    tokens: { input: 100, output: 51 },
    hedge_tokens_at_most: { input: 200, output: 102 },
  })
})

test('a run without requests has no rates', () => {
  const others = figuresOf([answerMeta(0, 10, { run: 'another' })])
  expect(throughputLines(others)).toEqual([])
  expect(throughputTable(others, plain)).toEqual(['nothing asked · 1 answer from store'])
})

test('marks tokens and costs as partial if only some answers have them', () => {
  const lines = throughputLines(figuresOf([answerMeta(0, 100, { usage }), answerMeta(0, 100)]))
  expect(lines[1]).toBe('100 tokens in · 51 out · at least $0.051 (of 1 of 2 answers)')
})

test('the table has totals, single requests and two plots', () => {
  const lines = throughputTable(figuresOf(working, [throttled]), plain)
  const shown = lines.map(line => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'then'))
  expect(shown.slice(0, 14)).toEqual([
    'answers       80 asked · 0 from store',
    'attempts      85 sent · 4 of them again · 5 throttled (5.8 %)',
    'tokens        8,000 in (3,200 cached) · 4,080 out (1,600 reasoning)',
    'bytes         160 kB sent · 40.0 kB received',
    'time          20 s at work · then – then · 1 pause of 30 min not counted (┴)',
    'rate          4.0 requests/s · 204 output tokens/s · 400 input tokens/s',
    'concurrency   4.0 on average · 4 at most',
    'cost          $4.08',
    '',
    'per request           n     mean      p50      p90      p99      max',
    'latency              80    1.0 s    1.0 s    1.0 s    1.0 s    1.0 s',
    'to the first token   80   0.20 s   0.20 s   0.20 s   0.20 s   0.20 s',
    'per output token     80    16 ms    16 ms    16 ms    16 ms    16 ms',
    'queue                80     0 ms     0 ms     0 ms     0 ms     0 ms',
  ])
  expect(lines).toContain('requests in flight')
  expect(lines).toContain(`4 ┤${'█'.repeat(60)}`)
  expect(lines.at(-2)).toBe(` 0 └${'─'.repeat(30)}┴${'─'.repeat(29)}`)
  expect(lines.at(-1)).toBe(`    0 s${' '.repeat(53)}20 s`)
})

/** The figures of a run of two tasks, the first of which asked most. */
const ofTwo = (): RunStats => {
  const ofTask = (task: string, metas: readonly ResponseMeta[]): TaskStats => ({
    task,
    ...without(figuresOf(metas), 'timeline', 'pauses', 'tasks'),
  })
  return {
    ...figuresOf(working),
    tasks: [ofTask('one', working.slice(0, 60)), ofTask('two', working.slice(60)), ofTask('three', [])],
  }
}

test('the table and results JSON list each task that sent a request', () => {
  const lines = throughputTable(ofTwo(), plain)
  const from = lines.findIndex(line => line.startsWith('per task'))
  expect(lines.slice(from, from + 4)).toEqual([
    'per task   asked   requests/s   tokens/s      in     out     p50     p99   first token    cost',
    'one           60          4.0        204   6,000   3,060   1.0 s   1.0 s        0.20 s   $3.06',
    'two           20          4.0        204   2,000   1,020   1.0 s   1.0 s        0.20 s   $1.02',
    '',
  ])
  expect(throughputTable(figuresOf(working), plain).join('\n')).not.toContain('per task')
  const json = JSON.parse(JSON.stringify(throughputJson(ofTwo()))) as { tasks: Record<string, object> }
  expect(json.tasks).toMatchObject({
    one: { requests: { asked: 60 }, tokens: { input: 6000 }, busy_ms: 15_000, latency_ms: { p50: 1000 } },
    two: { requests: { asked: 20 }, cost: { usd: 1.02 }, time_to_first_token_ms: { p50: 200 } },
    three: { requests: { asked: 0 }, latency_ms: null },
  })
  expect(json.tasks['one']).not.toHaveProperty('timeline')
  expect(throughputJson(figuresOf(working))).not.toHaveProperty('tasks')
})

test('the table says how to measure first tokens if they were not measured', () => {
  const hint = 'first tokens are timed where answers are streamed: stream=true in --model-args'
  const whole = figuresOf([answerMeta(0, 1_000, { usage })])
  expect(throughputTable(whole, plain, { canStream: true })).toContain(hint)
  expect(throughputTable(whole, plain)).not.toContain(hint)
  expect(throughputTable(figuresOf(working), plain, { canStream: true })).not.toContain(hint)
})

test('results JSON names each figure with its unit, and contains lmms-eval’s summary', () => {
  const json = JSON.parse(JSON.stringify(throughputJson(figuresOf(working, [throttled])))) as Record<string, unknown>
  expect(json).toMatchObject({
    requests: { asked: 80, from_store: 0, batch: 0, attempts: 85, retries: 4, throttled: 5, throttled_share: 5 / 85 },
    tokens: { input: 8000, output: 4080, total: 12_080, reasoning: 1600, cached: 3200, requests: 80 },
    bytes: { sent: 160_000, received: 40_000 },
    cost: { usd: 4.08, requests: 80 },
    busy_ms: 20_000,
    first_at: '1970-01-01T00:00:00.000Z',
    last_at: '1970-01-01T00:30:20.000Z',
    requests_per_second: 4,
    output_tokens_per_second: 204,
    concurrency: { mean: 4, peak: 4 },
    latency_ms: { n: 80, p50: 1000, p99: 1000, histogram: { '1000.0': 80 } },
    time_to_first_token_ms: { p50: 200 },
    time_per_output_token_ms: { p50: 16 },
    connect_ms: null,
    timeline: { pauses: [{ at_ms: 10_000, lasted_ms: 1_800_000 }] },
    lmms_eval: { total_gen_tokens: 4080, total_elapsed_time: 80, avg_speed: 51, avg_latency: 1, avg_ttft: 0.2 },
  })
})

test('the picture is a whole SVG without scripts, whatever the run is called', () => {
  const svg = throughputSvg('a <b> & "c"', figuresOf(working))
  expect(svg).toMatch(/^<svg [^>]+>\n<title>Throughput of a &#60;b&#62; &#38; &#34;c&#34;<\/title>/)
  expect(svg.trimEnd().endsWith('</svg>')).toBe(true)
  expect(svg).toContain('pause of 30 min, not counted')
  expect(svg).not.toMatch(/NaN|undefined|<script/)
  expect(throughputSvg('x', figuresOf([]))).not.toMatch(/NaN|undefined/)
})
