import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../cache/records.js'
import { makeScorer } from '../../../support/scorer.js'
import { answeredDoc, recordOf } from '../../../support/judged.js'

const scorerOf = (config: JsonObject) =>
  makeScorer({ task: 'asr', outputType: 'generate_until', config, scorerCode: { files: {} } })

/** Aggregates and scores of pairs of answer and reference(s). */
async function judge(config: JsonObject, pairs: readonly (readonly [string, string | string[]])[]) {
  const scorer = scorerOf(config)
  const scores = await Promise.all(
    pairs.map(([answer, target], index) => scorer.score(answeredDoc(recordOf(target), [answer], { index }))),
  )
  return { scores, aggregates: scorer.aggregate(scores, { docs: pairs.length }) }
}

const list = (...metrics: string[]): JsonObject => ({ metric_list: metrics.map(metric => ({ metric })) })

test('rates cover all docs together, as jiwer computes them for lists', async () => {
  // jiwer 4.0.0: process_words(["the cat sat", "on a mat today"], ["the cat", "on the mat now today"])
  const pairs = [
    ['the cat', 'the cat sat'],
    ['on the mat now today', 'on a mat today'],
  ] as const
  const { aggregates } = await judge(list('wer', 'mer', 'wil', 'wip'), pairs)
  expect(aggregates.map(({ metric, value }) => [metric, value])).toEqual([
    ['wer', 3 / 7],
    ['mer', 3 / 8],
    ['wil', 1 - (5 / 7) * (5 / 7)],
    ['wip', (5 / 7) * (5 / 7)],
  ])
})

test('the aggregate is in percent if the task says so', async () => {
  const metric_list = ['wer', 'wip'].map(metric => ({ metric, percent: true }))
  const { scores, aggregates } = await judge({ metric_list }, [['a x', 'a b']])
  expect(aggregates.map(({ value }) => value)).toEqual([50, 25])
  expect(scores[0]?.values).toMatchObject({ wer: { rate: 0.5 }, wip: { rate: 0.25 } })
})

test('aggregates counts that a task computes itself in the same way', async () => {
  const scorer = makeScorer({
    task: 'asr',
    outputType: 'generate_until',
    config: { metric_list: [{ metric: 'wer', percent: true }] },
    processResults: () => ({ wer: { hits: 3, substitutions: 1, deletions: 0, insertions: 0 } }),
    scorerCode: { files: {} },
  })
  const scores = [await scorer.score(answeredDoc(recordOf('x'), ['y']))]
  expect(scorer.aggregate(scores, { docs: 1 })[0]?.value).toBe(25)
})

test('a doc keeps its counts and its own rate', async () => {
  const { scores } = await judge(list('wer'), [['the black cat', 'the cat sat']])
  expect(scores[0]?.values).toEqual({ wer: { rate: 2 / 3, hits: 2, substitutions: 0, deletions: 1, insertions: 1 } })
})

test('the standard error is that of a ratio of sums, and no bound is below 0', async () => {
  const pairs = [
    ['a b c', 'a b c'],
    ['a x', 'a b'],
    ['x', 'a'],
  ] as const
  const [aggregate] = (await judge(list('wer'), pairs)).aggregates
  // Residuals of the edits from a third of the words: -1, 1/3, 2/3.
  const stderr = Math.sqrt(((1 + 1 / 9 + 4 / 9) * 3) / 2) / 6
  expect(aggregate?.value).toBeCloseTo(1 / 3, 12)
  expect(aggregate?.stderr).toBeCloseTo(stderr, 12)
  expect(aggregate?.intervalMethod).toBe('t')
  // Student's would begin below 0: the logarithm's.
  const [low, high] = aggregate!.interval!
  expect(low).toBeGreaterThan(0)
  expect(low * high).toBeCloseTo((1 / 3) ** 2, 12)
})

test('docs without any error have no interval, because their rate is uncertain', async () => {
  const [aggregate] = (
    await judge(list('wer'), [
      ['a b', 'a b'],
      ['c', 'c'],
    ])
  ).aggregates
  expect(aggregate).toMatchObject({ value: 0, interval: null, intervalMethod: 'none' })
  expect(aggregate?.note).toBe('without an interval: all docs have the same rate')
})

test('normalisers change both answer and reference, one after the other', async () => {
  const metric_list = [
    { metric: 'wer', normalizer: 'whisper_english' },
    { metric: 'cer', normalizer: 'chinese', ignore_spaces: true },
  ]
  const english = await judge({ metric_list: metric_list.slice(0, 1) }, [
    ['Mr. Smith won’t pay $20.', "mister smith won't pay twenty dollars"],
  ])
  expect(english.aggregates[0]?.value).toBeCloseTo(2 / 6, 12)
  const chinese = await judge({ metric_list: metric_list.slice(1) }, [['他有2个 头发。', '他有两个头发']])
  expect(chinese.aggregates[0]?.value).toBe(1 / 6)
})

test('cer counts code points, including spaces unless they are ignored', async () => {
  const pairs = [['ab😀', 'a b😁']] as const
  const rate = async (args: JsonObject) =>
    (await judge({ metric_list: [{ metric: 'cer', ...args }] }, pairs)).aggregates[0]?.value
  expect([await rate({}), await rate({ ignore_spaces: true })]).toEqual([2 / 4, 1 / 3])
})

test('uses the closest of several references', async () => {
  const { scores } = await judge(list('wer', 'wip'), [['a b', ['x y', 'a b', 'a']]])
  expect(scores[0]?.values).toMatchObject({ wer: { rate: 0, hits: 2 }, wip: { rate: 1, hits: 2 } })
})

test('without any word in the references there is no rate, and the report says why', async () => {
  const { aggregates } = await judge(list('wer', 'wip'), [['x y', '']])
  expect(aggregates.map(({ value, note }) => [value, note])).toEqual([
    [null, 'the references are empty'],
    [null, 'the references are empty'],
  ])
})

test('an unknown normaliser is an error of the task', () => {
  expect(() => scorerOf({ metric_list: [{ metric: 'wer', normalizer: 'wisper' }] })).toThrow(/normalizer/)
})

test('the filter normalize_text changes only the answer', async () => {
  const config = {
    filter_list: [{ name: 'plain', filter: [{ function: 'normalize_text', normalizer: 'whisper_basic' }] }],
    metric_list: [{ metric: 'exact_match' }],
  }
  const { scores } = await judge(config, [['Hello, World!', 'hello world']])
  expect(scores[0]).toMatchObject({ extracted: { plain: 'hello world ' }, values: { 'exact_match,plain': 1 } })
})
