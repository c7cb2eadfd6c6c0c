import { expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject, ScoreBody } from '../../../../cache/records.js'
import { scored, unparsed } from '../../../../stages/judge/define/define-metric.js'
import { overSamples } from '../../../../stages/judge/compile/over-samples.js'
import type { ScoringSpec } from '../../../../stages/judge/compile/scoring-spec.js'
import { answeredDoc, recordOf } from '../../../support/judged.js'
import { makeScorer } from '../../../support/scorer.js'

const samples = ['7', '8', ' 7', 'seven']

async function score(config: JsonObject, more: Partial<ScoringSpec> = {}): Promise<ScoreBody> {
  const scorer = makeScorer({ task: 't', outputType: 'generate_until', config, scorerCode: { files: {} }, ...more })
  return scorer.score(answeredDoc(recordOf('7'), samples))
}

const numbers = { function: 'regex', regex_pattern: '\\d+' }
const pipeline = (...filter: Json[]): Json[] => [{ name: 'none', filter }]

test('a metric returns the mean of the samples that the filters keep, or what its entry says', async () => {
  const metrics = [
    { metric: 'exact_match' },
    { metric: 'exact_match', name: 'first', samples: 'first' },
    { metric: 'exact_match', name: 'best', samples: 'max' },
    { metric: 'exact_match', name: 'all', samples: 'min' },
    { metric: 'exact_match', name: 'pass@2', samples: { pass_at: 2 } },
  ]
  const kept = pipeline({ function: 'take_first_k', k: 4 })
  expect(await score({ metric_list: metrics, filter_list: kept })).toMatchObject({
    outcome: 'scored',
    values: { exact_match: 0.5, first: 1, best: 1, all: 0, 'pass@2': expect.closeTo(5 / 6, 12) as number },
    extracted: { none: samples },
  })
})

test('scores the first sample if there are no filters', async () => {
  expect(await score({})).toMatchObject({ values: { exact_match: 1 }, extracted: { none: '7' } })
})

test('a vote reduces several samples to one', async () => {
  expect(await score({ filter_list: pipeline(numbers, { function: 'majority_vote' }) })).toMatchObject({
    outcome: 'scored',
    values: { exact_match: 1 },
    extracted: { none: '7' },
  })
})

test('an unparsed sample among several has the lowest value, and the doc is unparsed', async () => {
  expect(await score({ filter_list: pipeline(numbers) })).toMatchObject({
    outcome: 'unparsed',
    values: { exact_match: 0.5 },
    extracted: { none: ['7', '8', '7', null] },
  })
})

test('reports values that cannot be averaged', async () => {
  const config = { metric_list: [{ metric: 'bleu' }], filter_list: pipeline({ function: 'take_first_k', k: 2 }) }
  expect(await score(config)).toMatchObject({
    outcome: 'error',
    reason: expect.stringContaining('take_first') as string,
  })
  expect(() => overSamples([scored(1), scored(0.5)], { pass_at: 2 })).toThrow('one is 0.5')
  expect(() => overSamples([scored(1)], { pass_at: 2 })).toThrow('pass@2 needs 2 samples')
  expect(overSamples([scored(true), unparsed('?')])).toEqual(unparsed('?', 0.5))
})

test("a task's own scoring gets all samples that the filters keep, trimmed", async () => {
  const seen: Json[] = []
  const processResults: NonNullable<ScoringSpec['processResults']> = (_doc, results) => {
    seen.push(results)
    return { exact_match: results.length }
  }
  const filters = [
    { name: 'all', filter: [{ function: 'lowercase' }] },
    { name: 'one', filter: [{ function: 'take_first' }] },
  ]
  const { values } = await score({ filter_list: filters }, { processResults })
  expect(seen).toEqual([['7', '8', '7', 'seven'], ['7']])
  expect(values).toEqual({ 'exact_match,all': 4, 'exact_match,one': 1 })
})

test('a metric applies to the pipelines that its entry names', async () => {
  const filter_list = [
    { name: 'vote', filter: [numbers, { function: 'majority_vote' }] },
    { name: 'each', filter: [{ function: 'take_first_k', k: 4 }] },
  ]
  const metric_list = [
    { metric: 'exact_match', after: 'vote' },
    { metric: 'exact_match', name: 'pass@2', samples: { pass_at: 2 }, after: ['each'] },
  ]
  const { values } = await score({ metric_list, filter_list })
  expect(values).toEqual({ 'exact_match,vote': 1, 'pass@2,each': expect.closeTo(5 / 6, 12) as number })
  await expect(async () =>
    score({ metric_list: [{ metric: 'exact_match', after: 'votes' }], filter_list }),
  ).rejects.toThrow('no pipeline of filters "votes". Did you mean "vote"?')
})

test("passes arguments to a task's own filter", async () => {
  const functions = {
    '!function utils.cut': (texts: readonly string[], _doc: JsonObject, args: JsonObject) => [
      `${texts.length} ${args['by'] as string}`,
    ],
  }
  const filter_list = pipeline({ function: '!function utils.cut', by: 'x' })
  expect(await score({ filter_list }, { functions })).toMatchObject({ extracted: { none: '4 x' } })
})

test.each([
  [() => Promise.resolve(['x']), 'this one returned a promise: it must not be async'],
  [() => 'x', 'a filter must return a list of texts, and this one returned the text "x"'],
])('reports a filter of a task that does not return a list of texts', async (filter, message) => {
  const functions = { '!function utils.odd': filter as never }
  const filter_list = pipeline({ function: '!function utils.odd' })
  expect(await score({ filter_list }, { functions })).toMatchObject({
    outcome: 'error',
    reason: expect.stringContaining(message) as string,
  })
})

test('majority votes over what the metric reads, not over whole texts', async () => {
  const filter_list = pipeline({ function: 'take_first_k', k: 4 })
  const vote = async (metric: JsonObject, texts: readonly string[], target: Json, choices?: readonly string[]) => {
    const scorer = makeScorer({
      task: 't',
      outputType: 'generate_until',
      config: { metric_list: [{ ...metric, name: 'vote', samples: 'majority' }], filter_list },
      scorerCode: { files: {} },
    })
    const { values } = await scorer.score(answeredDoc(recordOf(target, choices && { choices: [...choices] }), texts))
    return values['vote']
  }
  const colours = ['red', 'green', 'blue', 'grey']
  expect(await vote({ metric: 'numeric_match' }, ['It is 8.', 'It is 7.', 'So, 7', '7.0'], '7')).toBe(1)
  expect(await vote({ metric: 'option_letter' }, ['A', 'The answer is B.', 'B', '(B) green'], 'B', colours)).toBe(1)
  expect(await vote({ metric: 'yes_no' }, ['No.', 'Yes, it is.', 'yes', 'Sure, yes.'], 'yes')).toBe(1)
  expect(await vote({ metric: 'math_equal' }, ['$x=8$', 'Thus $7$.', '\\boxed{7}', 'It is 7.'], '7')).toBe(1)
  // Samples that cannot be read have no vote.
  expect(await vote({ metric: 'numeric_match' }, ['none', 'no idea', 'who knows', 'It is 7.'], '7')).toBe(1)
  // On a tie the first one wins, and metrics that read nothing compare texts.
  expect(await vote({ metric: 'numeric_match' }, ['8', '7', '7', '8'], '7')).toBe(0)
  expect(await vote({ metric: 'exact_match' }, ['8', '7', ' 7', 'seven'], '7')).toBe(1)
})
