import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../base/values/canonical-json.js'
import type { AnsweredDoc, JsonObject, ScoreBody } from '../../../cache/records.js'
import { makeScorer } from '../../support/scorer.js'
import { mean } from '../../../stages/judge/aggregations/means.js'
import { clusteredMean } from '../../../stages/judge/statistics/clusters/clustered-mean.js'
import { effectiveSize } from '../../../stages/judge/statistics/intervals/bounded-interval.js'
import { wilson } from '../../../stages/judge/statistics/intervals/proportions.js'

const scorerOf = (config: JsonObject = {}) =>
  makeScorer({ task: 't', outputType: 'generate_until', config, scorerCode: { files: {} } })
const scoredAs = (value: number, rest: Partial<ScoreBody> = {}): ScoreBody => ({
  outcome: 'scored',
  values: { exact_match: value },
  extracted: {},
  ...rest,
})

test('0/1 scores have a Wilson interval, and missing docs widen the bounds', () => {
  const bodies = [
    scoredAs(1),
    scoredAs(1),
    scoredAs(0, { outcome: 'unparsed', reason: 'r' }),
    scoredAs(0, { empty: true }),
  ]
  const failed: ScoreBody = { outcome: 'error', values: {}, extracted: {}, reason: 'r' }
  const [whole] = scorerOf().aggregate([...bodies, failed], { docs: 8 })
  expect(whole).toEqual({
    task: 't',
    metric: 'exact_match',
    filter: 'none',
    value: 0.5,
    stderr: Math.sqrt(1 / 3 / 4),
    interval: wilson(2, 4),
    intervalMethod: 'wilson',
    higherIsBetter: true,
    n: 4,
    total: 8,
    unparsed: 1,
    empty: 1,
    bounds: [0.25, 0.75],
  })
})

test('mean_percent is the mean, its interval and its bounds times 100', () => {
  const scorer = (aggregation: string) => scorerOf({ metric_list: [{ metric: 'exact_match', aggregation }] })
  const bodies = [scoredAs(1), scoredAs(1), scoredAs(0)]
  const [share] = scorer('mean').aggregate(bodies, { docs: 4 })
  const [percent] = scorer('mean_percent').aggregate(bodies, { docs: 4 })
  expect(percent).toEqual({
    ...share,
    value: 100 * (share?.value ?? 0),
    stderr: 100 * (share?.stderr ?? 0),
    interval: share?.interval?.map(end => 100 * end),
    intervalRange: [0, 100],
    bounds: share?.bounds?.map(end => 100 * end),
  })
})

test('a task without any score has no value, and its bounds are the whole range', () => {
  expect(scorerOf().aggregate([], { docs: 3 })).toMatchObject([
    { value: null, interval: null, n: 0, total: 3, bounds: [0, 1] },
  ])
  expect(scorerOf().aggregate([], { docs: 0 })[0]).not.toHaveProperty('bounds')
})

test('each label of the breakdown has a row, even without any score', () => {
  const bodies = [
    scoredAs(1, { groups: { type: 'b' } }),
    scoredAs(0, { groups: { type: 'a' } }),
    { ...scoredAs(0, { groups: { type: 'a' } }), outcome: 'error' as const, values: {} },
  ]
  const aggregates = scorerOf({ breakdown: 'type' }).aggregate(bodies, {
    docs: 5,
    groups: { type: { a: 3, b: 1, c: 1 } },
  })
  expect(aggregates.map(({ group, value, n, total }) => [group?.label, value, n, total])).toEqual([
    [undefined, 0.5, 2, 5],
    ['a', 0, 1, 3],
    ['b', 1, 1, 1],
    ['c', null, 0, 1],
  ])
  const { task, metric, filter, higherIsBetter } = aggregates[0] ?? {}
  for (const one of aggregates) expect(one).toMatchObject({ task, metric, filter, higherIsBetter })
})

test('the rows of a breakdown add up to all docs, whatever the docs have in the field', async () => {
  const value = fc.option(fc.oneof(fc.constantFrom(null, '', 'a', 'b', 0, true), fc.array(fc.nat(2))), {
    nil: undefined,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 20 }), async values => {
      const scorer = scorerOf({ breakdown: 'kind' })
      const docs = values.map(kind => ({
        record: { target: 'a', doc: kind === undefined ? {} : { kind } },
        answers: [{ choice: 0, sample: 0, body: { text: 'a', finishReason: 'stop' } }],
      })) as unknown as readonly AnsweredDoc[]
      const bodies = await Promise.all(docs.map(doc => scorer.score(doc)))
      const [whole, ...groups] = scorer.aggregate(bodies, { docs: docs.length })
      const isTold = values.some(kind => kind !== undefined && kind !== null)
      expect(groups.reduce((sum, { n }) => sum + n, 0)).toBe(isTold ? whole?.n : 0)
    }),
  )
})

test('counts old scores without a label in the row "(none)"', () => {
  const bodies = [scoredAs(1, { groups: { type: 'a' } }), scoredAs(0), scoredAs(1, { groups: { other: 'b' } })]
  const aggregates = scorerOf({ breakdown: 'type' }).aggregate(bodies, { docs: 3 })
  expect(aggregates.map(({ group, n }) => [group?.label, n])).toEqual([
    [undefined, 3],
    ['(none)', 2],
    ['a', 1],
  ])
})

test('counts empty answers that were cut off separately', () => {
  const bodies = [scoredAs(0, { empty: true, cut: true }), scoredAs(0, { empty: true }), scoredAs(1, { cut: true })]
  expect(scorerOf().aggregate(bodies, { docs: 3 })).toMatchObject([{ empty: 2, cut: 2, emptyCut: 1 }])
})

test('without totals by label, counts the docs that were scored or failed', () => {
  const bodies = [
    scoredAs(1, { groups: { type: 'a' } }),
    { ...scoredAs(0, { groups: { type: 'a' } }), outcome: 'error' as const },
  ]
  expect(scorerOf({ breakdown: 'type' }).aggregate(bodies, { docs: 2 })[1]).toMatchObject({ n: 1, total: 2 })
})

test('a doc without a value of one metric does not count as missing', () => {
  const scorer = makeScorer({
    task: 't',
    outputType: 'generate_until',
    config: { metric_list: [{ metric: 'a' }, { metric: 'b' }] },
    scorerCode: { files: {} },
    processResults: () => ({}),
  })
  const bodies: ScoreBody[] = [
    { outcome: 'scored', values: { a: 1 }, extracted: {} },
    { outcome: 'scored', values: { b: 3 }, extracted: {} },
  ]
  expect(scorer.aggregate(bodies, { docs: 3 })).toMatchObject([
    { metric: 'a', value: 1, n: 1, total: 2 },
    { metric: 'b', value: 3, n: 1, total: 2 },
  ])
})

test('perplexity has an interval, and median and sum have their values', () => {
  const values = [1, 4, 2, 8]
  const bodies = values.map(
    value => ({ outcome: 'scored', values: { p: value, m: value, s: value }, extracted: {} }) as const,
  )
  const [p, m, s] = makeScorer({
    task: 't',
    outputType: 'generate_until',
    config: {
      metric_list: [
        { metric: 'p', aggregation: 'perplexity', higher_is_better: false },
        { metric: 'm', aggregation: 'median' },
        { metric: 's', aggregation: 'sum' },
      ],
    },
    scorerCode: { files: {} },
    processResults: () => ({}),
  }).aggregate(bodies, { docs: 4 })
  expect(p!.value).toBeCloseTo(Math.exp(-15 / 4), 12)
  expect(p!.interval![0]).toBeLessThan(p!.value!)
  expect(p!.higherIsBetter).toBe(false)
  expect([m!.value, s!.value]).toEqual([3, 15])
})

test('an aggregate does not depend on the order of scores, and lies within its interval', () => {
  const body = fc.record({ value: fc.double({ min: 0, max: 1, noNaN: true }), type: fc.constantFrom('a', 'b') })
  fc.assert(
    fc.property(fc.array(body, { minLength: 2, maxLength: 50 }), docs => {
      const bodies = docs.map(({ value, type }) => scoredAs(value, { groups: { type } }))
      const scorer = scorerOf({ breakdown: 'type' })
      const forth = scorer.aggregate(bodies, { docs: docs.length })
      const back = scorer.aggregate([...bodies].reverse(), { docs: docs.length })
      forth.forEach((one, i) => {
        expect(back[i]!.group).toEqual(one.group)
        expect(back[i]!.value).toBeCloseTo(one.value!, 12)
        if (one.interval === null) return
        expect(one.interval[0]).toBeLessThanOrEqual(one.value! + 1e-12)
        expect(one.interval[1]).toBeGreaterThanOrEqual(one.value! - 1e-12)
      })
    }),
  )
})

describe('docs of one cluster are not independent', () => {
  const aggregateOf = async (values: readonly number[], clusters: readonly unknown[]) => {
    const scorer = scorerOf({ cluster_key: 'picture' })
    const docs = values.map((right, index) => ({
      record: { target: 'a', doc: { picture: clusters[index] } },
      answers: [{ choice: 0, sample: 0, body: { text: right === 1 ? 'a' : 'b', finishReason: 'stop' } }],
    })) as unknown as readonly AnsweredDoc[]
    const bodies = await Promise.all(docs.map(doc => scorer.score(doc)))
    return scorer.aggregate(bodies, { docs: values.length })[0]!
  }
  const inThrees = (_: unknown, index: number): number => Math.floor(index / 3)

  test('have a mean with a cluster-robust error and interval', async () => {
    const values = Array.from({ length: 30 }, (_, index) => (index % 4 === 0 || index > 20 ? 1 : 0))
    const clusters = values.map((_, index) => String(Math.floor(index / 3)))
    const right = clusteredMean(values, clusters)
    if ('none' in right) throw new Error(right.none)
    const size = effectiveSize({ ...right, stderr: right.cr2 }, { variance: right.mean * (1 - right.mean) })
    const interval = wilson(right.mean * size, size)
    const whole = await aggregateOf(values, values.map(inThrees))
    expect(whole).toMatchObject({ stderr: right.cr2, interval, intervalMethod: 'clustered_wilson' })
    const parts = Float64Array.from(values, (value, index) => value * (index % 2 === 0 ? 0.5 : 1))
    const graded = clusteredMean(parts, clusters)
    if ('none' in graded) throw new Error(graded.none)
    expect(mean.of === 'numbers' && mean.summariseClustered?.(parts, clusters, [0, 1])).toMatchObject({
      interval: graded.interval,
      intervalMethod: 'clustered',
    })
  })

  test('that are all right or all wrong have an interval in which each cluster counts as one doc', async () => {
    const right = await aggregateOf([1, 1, 1, 1, 1], [0, 1, 2, 3, 4])
    expect(right).toMatchObject({ value: 1, interval: wilson(5, 5), intervalMethod: 'clustered_wilson' })
    const wrong = Array<number>(30).fill(0)
    expect(await aggregateOf(wrong, wrong.map(inThrees))).toMatchObject({ value: 0, interval: wilson(0, 10) })
  })

  test('have an interval within the range of the metric', async () => {
    const values = Array.from({ length: 18 }, (_, index) => (index === 1 ? 0 : 1))
    const { value, interval, intervalMethod } = await aggregateOf(values, values.map(inThrees))
    expect(intervalMethod).toBe('clustered_wilson')
    expect(interval![1]).toBeLessThan(1)
    expect(interval![0]).toBeGreaterThan(0)
    expect(interval![0]).toBeLessThan(value!)
    // The interval is at least as wide as for as many independent docs.
    expect(interval![1] - interval![0]).toBeGreaterThanOrEqual(wilson(17, 18)[1] - wilson(17, 18)[0])
  })

  test('in too few clusters have no interval, with the reason', async () => {
    const few = await aggregateOf([1, 1, 0, 1, 1, 0, 1, 0, 1], Array.from({ length: 9 }, inThrees))
    expect(few).toMatchObject({ interval: null, intervalMethod: 'none' })
    expect(few.note).toBe('without an interval: the docs come in 3 clusters, and it takes at least 5 of about one size')
    const alone = await aggregateOf([1, 1, 1], [7, 7, 7])
    expect(alone).toMatchObject({ value: 1, stderr: null, interval: null })
    expect(alone.note).toContain('the docs come in one cluster')
  })

  test('count as independent, with a note, if one has no cluster', async () => {
    const whole = await aggregateOf([1, 0, 1], [1, null, 2])
    expect(whole.intervalMethod).toBe('wilson')
    expect(whole.note).toBe('of docs taken as independent: not each has a "picture"')
  })
})

test('scores between 0 and 1 have an interval within the range of their metric', () => {
  const scorer = scorerOf({ metric_list: [{ metric: 'anls' }] })
  const bodies = [1, 1, 1, 1, 0.9].map(value => ({ ...scoredAs(1), values: { anls: value } }))
  const [whole] = scorer.aggregate(bodies, { docs: 5 })
  expect(whole).toMatchObject({ intervalMethod: 'wilson' })
  expect(whole!.interval![1]).toBeLessThan(1)
  const same = [0.9, 0.9, 0.9].map(value => ({ ...scoredAs(1), values: { anls: value } }))
  const [level] = scorer.aggregate(same, { docs: 3 })
  expect(level!.interval![1] - level!.interval![0]).toBeGreaterThan(0.4)
})

test('a task that scores with its own code may name the range of a metric', () => {
  const near = (range: Json) =>
    makeScorer({
      task: 't',
      outputType: 'generate_until',
      config: { metric_list: [{ metric: 'near', range }], process_results: 'f' },
      scorerCode: { files: {} },
      processResults: () => ({ near: 1 }),
    })
  const bodies = [1, 0].map(value => ({ ...scoredAs(1), values: { near: value } }))
  expect(near([0, 2]).aggregate(bodies, { docs: 4 })[0]?.bounds).toEqual([0.25, 1.25])
  expect(() => near([1, 0])).toThrow('expected the lowest and the highest value, such as [0, 1]')
})

test('a metric of unknown range has no interval if all docs have the same value', () => {
  const scorer = makeScorer({
    task: 't',
    outputType: 'generate_until',
    config: { metric_list: [{ metric: 'metres' }], process_results: 'f' },
    scorerCode: { files: {} },
    processResults: () => ({ metres: 3 }),
  })
  const bodies = [3, 3, 3].map(value => ({ ...scoredAs(1), values: { metres: value } }))
  expect(scorer.aggregate(bodies, { docs: 3 })[0]).toMatchObject({
    value: 3,
    interval: null,
    note: "without an interval: all docs have the same value, and the metric's range is not known",
  })
})
