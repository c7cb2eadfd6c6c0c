import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import type { JsonObject, ScoreBody } from '../../../cache/records.js'
import { defineFilter } from '../../../stages/judge/define/define-filter.js'
import { defineMetric, judgeFailed, type Verdict } from '../../../stages/judge/define/define-metric.js'
import { withJudgePlugins } from '../../../stages/judge/compile/registry.js'
import { makeScorer as makePlainScorer } from '../../../stages/judge/scorer.js'
import type { ScoringSpec } from '../../../stages/judge/compile/scoring-spec.js'
import { builtInJudges, makeScorer } from '../../support/scorer.js'
import { answeredDoc, recordOf } from '../../support/judged.js'

const loop = (): never => {
  for (;;);
}

/** Metrics that fail, each in a way of its own. */
const failing: Readonly<Record<string, () => Verdict | Promise<Verdict>>> = {
  throws: () => {
    throw new Error('bad doc')
  },
  rejects: () => Promise.reject(new Error('bad doc')),
  asks: () => judgeFailed('rate limited'),
  infinite: () => ({ type: 'scored', value: Infinity }),
  loops: loop,
  second: loop,
}

const metrics = Object.entries(failing).map(([id, judge]) =>
  defineMetric({ id, args: z.strictObject({}), higherIsBetter: true, range: [0, 1], judge }),
)
const filters = [
  defineFilter({
    id: 'breaks',
    args: z.strictObject({}),
    apply: () => {
      throw new Error('no such page')
    },
  }),
]
const { registry } = withJudgePlugins(builtInJudges, [...metrics, ...filters])

const specOf = (config: JsonObject, rest: Partial<ScoringSpec> = {}): ScoringSpec => ({
  task: 't',
  outputType: 'generate_until',
  config,
  scorerCode: { files: {} },
  timeLimit: 50,
  ...rest,
})

const listMetrics = (...names: readonly string[]): JsonObject => ({ metric_list: names.map(metric => ({ metric })) })

const score = (spec: ScoringSpec): Promise<ScoreBody> =>
  makeScorer(spec, registry).score(answeredDoc(recordOf('x'), ['x']))

describe('a metric that fails leaves the others of the doc their scores', () => {
  test.each([
    ['throws', 'error', 'bad doc'],
    ['rejects', 'error', 'bad doc'],
    ['asks', 'judge_failed', 'rate limited'],
    ['infinite', 'error', 'the value is Infinity, and the aggregation mean takes finite numbers'],
    ['loops', 'error', 'did not end within 0.05 s'],
  ])('if it %s', async (metric, outcome, reason) => {
    for (const order of [
      ['exact_match', metric, 'contains'],
      [metric, 'exact_match', 'contains'],
      ['exact_match', 'contains', metric],
    ]) {
      const body = await score(specOf(listMetrics(...order)))
      expect(body).toMatchObject({ outcome, failed: { [metric]: expect.stringContaining(reason) as string } })
      expect(body.reason).toContain(reason)
      expect(body.values).toEqual({ exact_match: 1, contains: 1 })
    }
  })

  test('if two of them loop, and each is ended once', async () => {
    const body = await score(specOf(listMetrics('loops', 'exact_match', 'second', 'contains')))
    expect(Object.keys(body.failed ?? {})).toEqual(['loops', 'second'])
    expect(body.values).toEqual({ exact_match: 1, contains: 1 })
  })

  test('if a filter fails, which takes the values of its own pipeline', async () => {
    const filter_list = [
      { name: 'broken', filter: [{ function: 'breaks' }] },
      { name: 'plain', filter: [{ function: 'take_first' }] },
    ]
    const body = await score(specOf({ filter_list, ...listMetrics('exact_match', 'contains') }))
    expect(body).toMatchObject({ outcome: 'error', extracted: { plain: 'x' } })
    expect(body.values).toEqual({ 'exact_match,plain': 1, 'contains,plain': 1 })
    expect(Object.keys(body.failed ?? {})).toEqual(['exact_match,broken', 'contains,broken'])
  })

  test('if one value of process_results cannot be added up', async () => {
    const processResults = () => ({
      right: 1,
      points: NaN,
      marks: { type: 'judge_failed', reason: 'no reply' } as Json,
    })
    const body = await score(specOf(listMetrics('right', 'points', 'marks'), { processResults }))
    expect(body.values).toEqual({ right: 1 })
    expect(body.failed).toEqual({ points: expect.stringContaining('NaN') as string, marks: 'no reply' })
  })

  test('if the time limit is that of a batch of docs', async () => {
    const scorer = makePlainScorer(specOf(listMetrics('exact_match', 'loops', 'contains')), registry)
    const doc = answeredDoc(recordOf('x'), ['x'])
    // The judge stage ends the code and calls this for the doc that was being scored.
    expect((await scorer.skip(doc, 'stopped')).values).toEqual({})
    const begun = answeredDoc(recordOf('x'), ['x'])
    await scorer.score(begun)
    expect(scorer.failed(begun, 'stopped').values).toEqual({ exact_match: 1, contains: 1 })
  })
})

test('a sum of metrics fails with a metric that it reads, and not with others', async () => {
  const sum = (weights: Record<string, number>): JsonObject => ({ metric: 'weighted_sum', weights })
  const list = (weights: Record<string, number>): JsonObject => ({
    metric_list: [{ metric: 'exact_match' }, { metric: 'throws' }, sum(weights)],
  })
  const apart = await score(specOf(list({ exact_match: 2 })))
  expect(apart.values).toEqual({ exact_match: 1, weighted_sum: 2 })
  const joined = await score(specOf(list({ exact_match: 2, throws: 1 })))
  expect(joined.values).toEqual({ exact_match: 1 })
  expect(joined.failed?.['weighted_sum']).toContain('it reads throws, which failed: bad doc')
})

test('a doc of which all values failed is stored as before', async () => {
  const body = await score(specOf(listMetrics('throws')))
  expect(JSON.parse(JSON.stringify(body))).toEqual({
    outcome: 'error',
    values: {},
    extracted: { none: 'x' },
    reason: 'throws: bad doc',
  })
})

test('counts the docs of each metric alone, and reads scores that older versions stored', async () => {
  const scorer = makeScorer(specOf(listMetrics('exact_match', 'asks')), registry)
  const partial = await scorer.score(answeredDoc(recordOf('x'), ['x']))
  const whole: ScoreBody = { outcome: 'scored', values: { exact_match: 0, asks: 1 }, extracted: {} }
  const old: ScoreBody = { outcome: 'judge_failed', values: {}, extracted: {}, reason: 'rate limited' }
  const unread: ScoreBody = {
    ...{ outcome: 'judge_failed', values: { exact_match: 0 }, extracted: {} },
    ...{ reason: 'rate limited', failed: { asks: 'rate limited' }, unparsed: ['exact_match'] },
  }
  const [match, asked] = scorer.aggregate([partial, whole, old, unread], { docs: 4 })
  expect(match).toMatchObject({ metric: 'exact_match', n: 3, total: 4, value: 1 / 3, unparsed: 1 })
  expect(asked).toMatchObject({ metric: 'asks', n: 1, total: 4, value: 1 })
})
