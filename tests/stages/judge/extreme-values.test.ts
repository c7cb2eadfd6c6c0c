import { expect, test } from 'vitest'
import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import type { Aggregate, ScoreBody } from '../../../cache/records.js'
import { aggregations } from '../../../stages/judge/aggregations/index.js'
import { groupAggregates } from '../../../stages/judge/group-aggregates.js'
import { summariseMean } from '../../../stages/judge/aggregations/means.js'
import { withFiniteNumbers } from '../../../stages/judge/finite-summary.js'
import { clusteredMean } from '../../../stages/judge/statistics/clusters/clustered-mean.js'
import { estimateMean } from '../../../stages/judge/statistics/intervals/mean.js'
import { makeScorer } from '../../support/scorer.js'

/** Values of six docs each, whose sums or squares are no ordinary numbers. */
const extremes: readonly (readonly [name: string, values: readonly number[]])[] = [
  ['one huge', [1e200, 0, 0, 1, 2, 3]],
  ['huge of both signs', [1e308, -1e308, 1e308, -1e308, 5e307, 1]],
  ['the largest', Array.from({ length: 6 }, () => Number.MAX_VALUE)],
  ['tiny', [1e-200, 2e-200, 3e-200, 4e-200, 0, 0]],
  ['denormal', [5e-324, 1e-323, 0, 5e-324, 0, 5e-324]],
  ['huge and tiny', [1e300, 1e-300, -1e300, 5e-324, 0, 1]],
  ['equal', [1e155, 1e155, 1e155, 1e155, 1e155, 1e155]],
]

/** Forms in which aggregations take the number of a doc. One that does not take a form ends with an error of its own. */
const forms: readonly ((value: number, at: number) => Json)[] = [
  value => value,
  value => [value, value / 2],
  (value, at) => [at % 2, value],
  (value, at) => [value, at % 2],
  (value, at) => ({ group: String(at % 2), score: value }),
  value => [value, 1, 2],
  (value, at) => ({ question: String(at), correct: value > 0, score: value }),
]

const scoreOf = (value: Json, clustered: boolean, at: number): ScoreBody => ({
  outcome: 'scored',
  values: { exact_match: value },
  extracted: {},
  ...(clustered && { cluster: String(at % 3) }),
})

const aggregate = (name: string, bodies: readonly ScoreBody[]): readonly Aggregate[] =>
  makeScorer({
    task: 't',
    outputType: 'generate_until',
    config: { metric_list: [{ metric: 'exact_match', aggregation: name }] },
    scorerCode: { files: {} },
  }).aggregate(bodies, { docs: bodies.length + 1 })

test.each(Object.keys(aggregations))('%s gives numbers that can be stored, whatever the size of the values', name => {
  for (const [, values] of extremes)
    for (const form of forms)
      for (const clustered of [false, true]) {
        const bodies = values.map((value, at) => scoreOf(form(value, at), clustered, at))
        for (const result of aggregate(name, bodies))
          expect(() => canonicalJson(result as unknown as Json)).not.toThrow()
      }
})

test('a mean of huge values has its standard error and interval, as one of values of another unit has', () => {
  const plain = estimateMean([1, 0, 0, 1, 2, 3])
  for (const unit of [2 ** 600, 2 ** 900]) {
    const scaled = estimateMean([1, 0, 0, 1, 2, 3].map(value => value * unit))
    expect(scaled?.mean).toBe((plain?.mean ?? 0) * unit)
    expect(scaled?.stderr).toBe((plain?.stderr ?? 0) * unit)
    const clusters = ['a', 'a', 'b', 'c', 'd', 'e']
    const [own, other] = [1, unit].map(by =>
      clusteredMean(
        [1, 0, 0, 1, 2, 3].map(value => value * by),
        clusters,
      ),
    )
    if (own === undefined || other === undefined || 'none' in own || 'none' in other) throw new Error('no mean')
    expect([other.mean, other.cr2, other.df]).toEqual([own.mean * unit, own.cr2 * unit, own.df])
  }
})

test('a mean whose interval is beyond the largest number has none, with a note', () => {
  const within = withFiniteNumbers(summariseMean(Float64Array.of(1e306, -1e306, 1e306)))
  expect(within.interval?.every(Number.isFinite)).toBe(true)
  const beyond = withFiniteNumbers(summariseMean(Float64Array.of(1.7e308, -1.7e308)))
  expect(beyond).toMatchObject({ interval: null, intervalMethod: 'none' })
  expect(beyond.note).toContain('beyond the largest number')
})

test('a sum beyond the largest number is an error of this number, and other metrics keep theirs', () => {
  const bodies = [Number.MAX_VALUE, Number.MAX_VALUE].map((value, at) => scoreOf(value, false, at))
  expect(aggregate('sum', bodies)[0]).toMatchObject({ value: null, n: 2 })
  expect(aggregate('sum', bodies)[0]?.error).toContain('no finite number')
})

test('a group of tasks with huge values can be stored', async () => {
  const parts = ['a', 'b'].flatMap(task =>
    aggregate(
      'nanmean',
      [1.7e308, -1.7e308, 1e200].map((value, at) => scoreOf(value, false, at)),
    ).map(result => ({ ...result, task })),
  )
  const rules = [true, false].map(weightBySize => ({ metric: 'exact_match', weightBySize }))
  const results = await groupAggregates([{ name: 'g', tasks: ['a', 'b'], rules }], parts)
  for (const result of results) expect(() => canonicalJson(result as unknown as Json)).not.toThrow()
  expect(results.length).toBeGreaterThan(0)
})
