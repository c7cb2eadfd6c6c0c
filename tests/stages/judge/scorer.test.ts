import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { watchCode } from '../../../base/time/time-limit.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { JsonObject, ScoreBody } from '../../../cache/records.js'
import { defineMetric, scored, unparsed } from '../../../stages/judge/define/define-metric.js'
import { builtInJudges } from '../../support/scorer.js'
import type { JudgePrompt } from '../../../stages/judge/define/judge-model.js'
import { isMetric, withJudgePlugins } from '../../../stages/judge/compile/registry.js'
import { makeScorer } from '../../support/scorer.js'
import type { MetricFunction, ScoringSpec } from '../../../stages/judge/compile/scoring-spec.js'
import { answeredDoc, logprobBody, recordOf } from '../../support/judged.js'

const specOf = (config: JsonObject, rest: Partial<ScoringSpec> = {}): ScoringSpec => ({
  task: 't',
  outputType: 'generate_until',
  config,
  scorerCode: { files: {} },
  ...rest,
})

const scoreText = (config: JsonObject, text: string, target: Json, rest: Partial<ScoringSpec> = {}) =>
  makeScorer(specOf(config, rest)).score(answeredDoc(recordOf(target), [text]))

function problemsOf(make: () => unknown): readonly string[] {
  try {
    make()
  } catch (error) {
    if (error instanceof PipelineError) return error.problems
    throw error
  }
  return []
}

test('scores a text task without metrics by exact match', async () => {
  const score = await scoreText({}, ' red\n', 'red')
  expect(score).toEqual({ outcome: 'scored', values: { exact_match: 1 }, extracted: { none: ' red\n' } })
})

test.each([
  ['built-in rules without patterns', { metric_list: [{ metric: 'exact_match', ignore_case: true }] }, false],
  ['a pattern', { metric_list: [{ metric: 'exact_match', regexes_to_ignore: ['(a+)+$'] }] }, true],
  ['a filter with a pattern', { filter_list: [{ name: 'f', filter: [{ function: 'regex' }] }] }, true],
])('sets a time limit for scoring by %s only if it may take long', async (_name, config, hasLimit) => {
  const places: string[] = []
  watchCode({ began: place => places.push(place), ended: () => undefined })
  try {
    await scoreText(config, 'red', 'red')
  } finally {
    watchCode(undefined)
  }
  expect(places.length > 0).toBe(hasLimit)
})

test('one metric with several arguments becomes several metrics by name', async () => {
  const metric_list = [
    { metric: 'rouge', variant: 'rouge1', name: 'rouge1' },
    { metric: 'rouge', variant: 'rouge2', name: 'rouge2' },
  ]
  const score = await scoreText({ metric_list }, 'a dog', 'a red dog')
  expect(score.values).toEqual({ rouge1: expect.closeTo(0.8, 12) as number, rouge2: 0 })
})

test('scores choices by acc and acc_norm, and keeps the chosen one', async () => {
  const scorer = makeScorer(specOf({}, { outputType: 'multiple_choice' }))
  const record = recordOf(1, { choices: ['no', 'certainly'] })
  const score = await scorer.score(answeredDoc(record, [logprobBody(-2), logprobBody(-3)]))
  expect(score).toEqual({ outcome: 'scored', values: { acc: 0, acc_norm: 1 }, extracted: { none: 'no' } })
})

test('scores a continuation by perplexity and greediness', async () => {
  const scorer = makeScorer(specOf({}, { outputType: 'loglikelihood' }))
  const score = await scorer.score(answeredDoc(recordOf('x'), [logprobBody(-2, true)]))
  expect(score.values).toEqual({ perplexity: -2, acc: 1 })
})

test('scores and marks an empty answer', async () => {
  expect(await scoreText({}, ' \n', 'red')).toMatchObject({
    outcome: 'scored',
    values: { exact_match: 0 },
    empty: true,
  })
})

test('removes reasoning from the answer, unless the task says otherwise', async () => {
  expect(await scoreText({}, '<think>blue?</think> red', 'red')).toMatchObject({ values: { exact_match: 1 } })
  const kept = await scoreText({ reasoning_tags: 'none' }, '<think>blue?</think> red', 'red')
  expect(kept.values).toEqual({ exact_match: 0 })
})

test('each filter pipeline returns its own values', async () => {
  const config = {
    filter_list: [
      {
        name: 'strict',
        filter: [{ function: 'regex', regex_pattern: 'answer is (\\w+)' }, { function: 'take_first' }],
      },
      { name: 'loose', filter: [{ function: 'lowercase' }] },
    ],
    metric_list: [{ metric: 'contains' }],
  }
  const score = await scoreText(config, 'The Answer: red', 'red')
  expect(score).toEqual({
    outcome: 'unparsed',
    values: { 'contains,strict': 0, 'contains,loose': 1 },
    extracted: { strict: null, loose: 'the answer: red' },
    reason: 'no match 0 of the pattern',
    unparsed: ['contains,strict'],
  })
})

test('an unreadable answer does not match a target that looks like the fallback', async () => {
  const config = { filter_list: [{ name: 'none', filter: [{ function: 'regex' }] }] }
  expect(await scoreText(config, 'x', '[invalid]')).toMatchObject({ outcome: 'unparsed', values: { exact_match: 0 } })
})

test('scores the fallback that a benchmark sets, and still counts it as unparsed', async () => {
  const config = { filter_list: [{ name: 'none', filter: [{ function: 'regex', fallback: 'A' }] }] }
  expect(await scoreText(config, 'x', 'A')).toMatchObject({ outcome: 'unparsed', values: { exact_match: 1 } })
})

test('a metric that throws makes the doc an error with the reason and no value', async () => {
  const score = await scoreText({ metric_list: [{ metric: 'numeric_match' }] }, '3', 'three')
  expect(score).toMatchObject({ outcome: 'error', values: {} })
  expect(score.reason).toBe('numeric_match: the target "three" is not one number')
})

test("process_results gets a rolling log-likelihood alone, and a continuation's with greediness", async () => {
  const seen: unknown[] = []
  const processResults: ScoringSpec['processResults'] = (_doc, results) => {
    seen.push(results)
    return { points: 1 }
  }
  for (const outputType of ['loglikelihood_rolling', 'loglikelihood']) {
    const scorer = makeScorer(specOf({ metric_list: [{ metric: 'points' }] }, { outputType, processResults }))
    await scorer.score(answeredDoc(recordOf('x'), [logprobBody(-2, false)]))
  }
  expect(seen).toEqual([[-2], [[-2, false]]])
})

test('a metric of process_results may have a dot in its name and no direction', async () => {
  const names = ['ACC@0.5', 'ACC@1.5']
  const config = { metric_list: names.map(metric => ({ metric, higher_is_better: null })) }
  const processResults: ScoringSpec['processResults'] = () => ({ 'ACC@0.5': 1, 'ACC@1.5': 0 })
  const score = await makeScorer(specOf(config, { processResults })).score(answeredDoc(recordOf(''), ['x']))
  expect(score).toMatchObject({ outcome: 'scored', values: { 'ACC@0.5': 1, 'ACC@1.5': 0 } })
})

test('process_results returns the values of the named metrics', async () => {
  const config = { metric_list: [{ metric: 'points' }, { metric: 'bonus' }] }
  const processResults: ScoringSpec['processResults'] = (doc, [text]) => ({
    points: text === doc['answer'],
    ...(text === 'red' && { bonus: unparsed('no bonus given') }),
  })
  const scorer = makeScorer(specOf(config, { processResults }))
  const doc = (text: string) => answeredDoc(recordOf('', { doc: { answer: 'red' } }), [text])
  expect(await scorer.score(doc('red'))).toMatchObject({
    outcome: 'unparsed',
    values: { points: 1, bonus: 0 },
    unparsed: ['bonus'],
  })
  expect(await scorer.score(doc('blue'))).toMatchObject({ outcome: 'scored', values: { points: 0 } })
})

test.each([
  [
    'throws',
    () => {
      throw new Error('no such field')
    },
    'no such field',
  ],
  ['rejects', () => Promise.reject(new Error('no such field')), 'no such field'],
  [
    'gives no number',
    () => ({ points: Number.NaN }),
    'the value is NaN, and the aggregation mean takes finite numbers',
  ],
  [
    'gives NaN in Python',
    () => ({ points: { $float: 'nan' } }),
    'the value is NaN, and the aggregation mean takes finite numbers',
  ],
  ['gives a text', () => ({ points: 'one' }), 'the value is "one", and the aggregation mean takes finite numbers'],
  ['gives nothing', () => ({}), 'process_results gives none of points'],
  [
    'gives another name',
    () => ({ point: 1 }),
    'process_results gives "point", which metric_list does not name. Did you mean "points"?',
  ],
])('process_results that %s is an error of the doc', async (_what, processResults, reason) => {
  const spec = specOf({ metric_list: [{ metric: 'points' }] }, { processResults })
  const score = await makeScorer(spec).score(answeredDoc(recordOf('x'), ['x']))
  expect(score).toMatchObject({ outcome: 'error', values: {}, reason })
})

test('notes a value without a metric once, and rejects a misspelt metric name', async () => {
  const notes: string[] = []
  const scored = async (said: Record<string, number>) => {
    const spec = specOf(
      { metric_list: [{ metric: 'points' }, { metric: 'bonus' }] },
      { processResults: () => said, note: text => notes.push(text) },
    )
    const scorer = makeScorer(spec)
    await scorer.score(answeredDoc(recordOf('x'), ['x']))
    return scorer.score(answeredDoc(recordOf('x'), ['x']))
  }
  expect(await scored({ points: 1, submission: 2 })).toMatchObject({ outcome: 'scored', values: { points: 1 } })
  expect(notes).toEqual(['process_results gives "submission", which metric_list does not name: it is in no number'])
  expect(await scored({ points: 1, bonuss: 2 })).toMatchObject({
    outcome: 'error',
    reason: 'process_results gives "bonuss", which metric_list does not name. Did you mean "bonus"?',
  })
})

test('unmodified foreign code may return a value whose name looks like a misspelt metric', async () => {
  const notes: string[] = []
  const spec = specOf(
    { metric_list: [{ metric: 'exact_match_a' }, { metric: 'points' }] },
    {
      processResults: () => ({ points: 1, exact_matches: 0 }),
      refusesMisspelt: false,
      note: text => notes.push(text),
    },
  )
  const score = await makeScorer(spec).score(answeredDoc(recordOf('x'), ['x']))
  expect(score).toMatchObject({ outcome: 'scored', values: { points: 1 } })
  expect(notes).toEqual(['process_results gives "exact_matches", which metric_list does not name: it is in no number'])
})

test('a failed judge leaves its own metric without a value', async () => {
  const failing = defineMetric({
    id: 'asked',
    args: z.strictObject({}),
    higherIsBetter: true,
    judge: () => ({ type: 'judge_failed', reason: 'rate_limited' }),
  })
  const { registry } = withJudgePlugins(builtInJudges, [failing])
  const spec = specOf({ metric_list: [{ metric: 'exact_match' }, { metric: 'asked' }] })
  const score = await makeScorer(spec, registry).score(answeredDoc(recordOf('x'), ['x']))
  expect(score).toMatchObject({ outcome: 'judge_failed', failed: { asked: 'rate_limited' }, reason: 'rate_limited' })
  expect(score.values).toEqual({ exact_match: 1 })
})

test('metrics and pipelines of a doc get different samples for the same sampled prompt', async () => {
  const samples: (number | undefined)[] = []
  const ask = ({ sample }: JudgePrompt) => {
    samples.push(sample)
    return Promise.resolve({ type: 'answered', text: 'yes' } as const)
  }
  const filters = ['a', 'b'].map(name => ({ name, filter: [{ function: 'take_first' }] }))
  const judged: MetricFunction = async (_input, _args, context) => {
    await context.ask({ messages: 'right?', temperature: 1 })
    return 1
  }
  const metrics = ['!function utils.one', '!function utils.two']
  const functions = Object.fromEntries(metrics.map(metric => [metric, judged]))
  const spec = specOf({ metric_list: metrics.map(metric => ({ metric })), filter_list: filters }, { ask, functions })
  await makeScorer(spec).score(answeredDoc(recordOf('x'), ['x']))
  expect(samples).toEqual([0, 1, 2, 3])

  const asked = specOf(
    { metric_list: [{ metric: 'own' }], filter_list: filters },
    {
      ask,
      processResults: async (_doc, _results, context) => {
        await context.ask({ messages: 'right?', temperature: 1 })
        return { own: 1 }
      },
    },
  )
  await makeScorer(asked).score(answeredDoc(recordOf('x'), ['x']))
  expect(samples.slice(4)).toEqual([0, 1])
})

test('a task can define its own metric, filter and aggregation', async () => {
  const spec = specOf(
    {
      metric_list: [{ metric: '!function utils.half', aggregation: '!function utils.most', share: 0.5 }],
      filter_list: [{ name: 'none', filter: [{ function: '!function utils.last' }] }],
    },
    {
      functions: {
        '!function utils.half': (input: { text: string }, args: JsonObject) =>
          input.text === 'b' ? args['share']! : 0,
        '!function utils.last': (texts: readonly string[]) => texts.slice(-1),
        '!function utils.most': (values: readonly unknown[]) => Math.max(...(values as number[])),
      },
    },
  )
  const scorer = makeScorer(spec)
  const score = await scorer.score(answeredDoc(recordOf('x'), ['a', 'b']))
  expect(score.values).toEqual({ half: 0.5 })
  expect(scorer.aggregate([score], { docs: 1 })).toMatchObject([{ metric: 'half', value: 0.5, interval: null }])
})

test('reports all mistakes at once, with line, column and nearest name', () => {
  const config = {
    metric_list: [
      { metric: 'exact_mach' },
      { metric: 'exact_match', ignore_cas: true },
      { metric: 'contains', aggregation: 'meen' },
      { metric: 'acc' },
      { metric: 'numeric_match', relative: 'much' },
    ],
    filter_list: [
      { name: 'a', filter: [{ function: 'regexp' }, { function: 'regex', regex_pattern: '(' }] },
      { name: 'a', filter: [{ function: 'take_first' }] },
    ],
  }
  const problems = problemsOf(() => makeScorer(specOf(config, { locate: path => `t.yaml:${path.length}` })))
  expect(problems).toEqual([
    't.yaml:3  metric_list[0].metric: no metric "exact_mach". Did you mean "exact_match"?',
    't.yaml:3  metric_list[1].ignore_cas: exact_match has no argument "ignore_cas". Did you mean "ignore_case"?',
    't.yaml:3  metric_list[2].aggregation: no aggregation "meen". Did you mean "mean"?',
    't.yaml:2  metric_list[3]: acc judges log-likelihoods, which output_type generate_until does not give',
    't.yaml:3  metric_list[4].relative: expected a number, given the text "much"',
    't.yaml:5  filter_list[0].filter[0].function: no filter "regexp". Did you mean "regex"?',
    expect.stringContaining('filter_list[0].filter[1].regex_pattern: not a regular expression'),
    't.yaml:2  filter_list[1]: "a" is listed twice',
  ])
})

test('rejects metric_list that is not a list, with its position', () => {
  expect(problemsOf(() => makeScorer(specOf({ metric_list: 'exact_match' })))).toEqual([
    'task t, metric_list: expected a list, given the text "exact_match"',
  ])
})

test('a value of a wrong type does not hide other mistakes, and an unknown one gets a suggestion', () => {
  const config = {
    metric_list: [
      { metric: 'exact_match', aggregation: 'meen', ignore_cas: true },
      { metric: 'wer', normalizer: 'lowercas', higher_is_better: 'maybe' },
    ],
    filter_list: [{ name: 3, filter: [{ function: 'regx' }] }],
  }
  expect(problemsOf(() => makeScorer(specOf(config)))).toEqual([
    'task t, metric_list[1].higher_is_better: expected true or false, given the text "maybe"',
    'task t, filter_list[0].name: expected a text, given the number 3',
    'task t, metric_list[0].aggregation: no aggregation "meen". Did you mean "mean"?',
    'task t, metric_list[0].ignore_cas: exact_match has no argument "ignore_cas". Did you mean "ignore_case"?',
    expect.stringMatching(
      /^task t, metric_list\[1\]\.normalizer: expected one of none, lowercase, .*, given the text "lowercas"\. Did you mean "lowercase"\?$/,
    ),
  ])
})

test('the labels of the breakdown are fields of the doc', async () => {
  const scorer = makeScorer(specOf({ breakdown: ['type', 'n', 'absent'] }))
  const record = recordOf('x', { doc: { type: 'color', n: 3, absent: null } })
  expect(await scorer.score(answeredDoc(record, ['x']))).toMatchObject({ groups: { type: 'color', n: '3' } })
})

test("notes a plugin's metric that replaces one of the same name", () => {
  const mine = defineMetric({
    id: 'exact_match',
    args: z.strictObject({}),
    higherIsBetter: true,
    judge: () => scored(1),
  })
  const { registry, replaced } = withJudgePlugins(builtInJudges, [mine, 'text', null, { id: 'other' }])
  expect(replaced).toEqual(['exact_match'])
  expect(registry.metrics.get('exact_match')).toBe(mine)
  expect(isMetric({ id: 'x' })).toBe(false)
  expect(() => withJudgePlugins(builtInJudges, [mine, { ...mine }])).toThrow(PipelineError)
})

test('score keys include the output type, because it changes the score', () => {
  expect(makeScorer(specOf({ breakdown: ['type'] })).judging.config).toEqual({
    breakdown: ['type'],
    output_type: 'generate_until',
  })
})

describe('a doc without a target', () => {
  const none = 'the doc has no target: doc_to_target gives nothing'
  const scoreNone = (config: JsonObject, target: Json, rest: Partial<ScoringSpec> = {}, text = 'red') =>
    makeScorer(specOf(config, rest)).score(answeredDoc(recordOf(target), [text]))

  test.each([[null], [[]], [[null]]] satisfies readonly (readonly [Json])[])(
    'is an error, not 0, if the metric compares with it: %j',
    async target => {
      for (const metric of ['exact_match', 'anls', 'wer', 'iou', 'contains']) {
        const score = await scoreNone({ metric_list: [{ metric }] }, target)
        expect([metric, score.outcome, score.values]).toEqual([metric, 'error', {}])
      }
      expect((await scoreNone({}, target)).reason).toContain(none)
    },
  )

  test('is an error for choices, too', async () => {
    const record = { ...recordOf(null), choices: ['a', 'b'] }
    const scorer = makeScorer(specOf({ metric_list: [{ metric: 'acc' }] }, { outputType: 'multiple_choice' }))
    const score = await scorer.score(answeredDoc(record, [logprobBody(-1), logprobBody(-2)]))
    expect(score).toMatchObject({ outcome: 'error', reason: expect.stringContaining(none) as string })
  })

  test('is an error even if the answer cannot be read', async () => {
    const filter = [{ function: 'regex', regex_pattern: '(\\d+)' }, { function: 'take_first' }]
    const config = { filter_list: [{ name: 'n', filter }], metric_list: [{ metric: 'exact_match' }] }
    expect((await scoreNone(config, null)).outcome).toBe('error')
  })

  test('is scored by metrics that need no target: bypass, own metrics and process_results', async () => {
    expect(await scoreNone({ metric_list: [{ metric: 'bypass' }] }, null)).toMatchObject({ outcome: 'scored' })
    const copying = { functions: { '!function utils.kept': (input: object) => ({ ...input }) as never } }
    const collected = await scoreNone(
      { metric_list: [{ metric: '!function utils.kept', aggregation: 'bypass' }] },
      null,
      copying,
    )
    expect(collected.outcome).toBe('scored')
    const rest = { processResults: () => ({ submission: 1 }) }
    expect(await scoreNone({ metric_list: [{ metric: 'submission' }] }, null, rest)).toMatchObject({
      outcome: 'scored',
    })
  })

  test('with several targets, null targets are ignored', async () => {
    expect((await scoreNone({}, [null, 'red'])).values).toEqual({ exact_match: 1 })
    expect((await scoreNone({}, [null, 'red'], {}, 'null')).values).toEqual({ exact_match: 0 })
  })
})

test("marks a value of the task's own metric as unparsed if no filter could read the answer", async () => {
  const config = {
    metric_list: [{ metric: '!function utils.always' }],
    filter_list: [{ name: 'f', filter: [{ function: 'regex', regex_pattern: '#### (\\d+)', fallback: '0' }] }],
  }
  const functions = { '!function utils.always': () => 1 }
  expect(await scoreText(config, 'no number', '1', { functions })).toMatchObject({
    outcome: 'unparsed',
    values: { 'always,f': 1 },
  })
})

test("takes an object with a type from the task's own metric as a value, not as a verdict", async () => {
  const config = { metric_list: [{ metric: '!function utils.kind', aggregation: '!function utils.size' }] }
  const said = { type: 'animal', value: 1 }
  const functions = {
    '!function utils.kind': () => said,
    '!function utils.size': (values: readonly Json[]) => values.length,
  }
  expect(await scoreText(config, 'a', 'a', { functions })).toMatchObject({ outcome: 'scored', values: { kind: said } })
})

test.each([
  ['option_letter', 'E', 'A'],
  ['option_letters', 'AE', 'A'],
  ['yes_no', 'perhaps', 'yes'],
  ['yes_no_f1', 'perhaps', 'yes'],
  ['numeric_match', 'many', '7'],
  ['iou', 'left', [0, 0, 1, 1]],
] as const)('%s reads the target also where no filter could read the answer', async (metric, target, readable) => {
  const config = {
    metric_list: [{ metric, ...(metric.startsWith('option') && { options: 4 }) }],
    filter_list: [
      { name: 'f', filter: [{ function: 'regex', regex_pattern: '#### (.+)' }, { function: 'take_first' }] },
    ],
  }
  const score = async (gold: Json): Promise<ScoreBody> => scoreText(config, 'no idea', gold)
  expect((await score(target)).outcome).toBe('error')
  expect((await score(readable as Json)).outcome).toBe('unparsed')
})
