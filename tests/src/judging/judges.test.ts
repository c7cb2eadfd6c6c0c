import { describe, expect, test } from 'vitest'
import type { JudgeSettings } from '../../../src/config/settings.js'
import { addJudgeChoice, judgeChoices, type JudgeChoices } from '../../../src/config/values/judge-choices.js'
import { planJudges, type Judges, type NamedJudge } from '../../../src/judging/judges.js'
import { makeTaskScorer } from '../../../src/judging/scoring.js'
import { answeredDoc, recordOf } from '../../support/judged.js'
import { temporaryStore, testRun } from '../../support/store.js'

const saying = (text: string) => ({ model: 'dummy', args: { mode: 'fixed', text } })

async function plan(settings: JudgeSettings): Promise<{ judges: Judges; run: Awaited<ReturnType<typeof testRun>> }> {
  const store = await temporaryStore()
  const never = new AbortController().signal
  const judges = await planJudges(settings, {
    store,
    plugins: { backends: [], exports: [], closures: new Map() },
    env: {},
    hooks: { emit: () => undefined, drain: never, stop: never },
  })
  return { judges: judges!, run: await testRun(store) }
}

const texts = (judges: readonly NamedJudge[] | undefined) =>
  judges?.map(({ identity }) => (identity['model'] as { args: { text: string } }).args.text)

describe('judges of tasks and metrics', () => {
  test('a name overrides a pattern, a metric its task, and default judges grade the rest', async () => {
    const { judges } = await plan({
      judgeModel: 'dummy',
      judgeArgs: { mode: 'fixed', text: 'default' },
      judgeFor: { mme: [saying('task')], 'mm*': [saying('pattern')], '*.style': [saying('style')] },
    })
    const mme = judges.select('mme', ['quality', 'style'])
    expect(texts(mme.whole)).toEqual(['task'])
    expect([...mme.byMetric].map(([metric, own]) => [metric, texts(own)])).toEqual([['style', ['style']]])
    expect(texts(judges.select('mmmu', ['quality']).whole)).toEqual(['pattern'])
    expect(texts(judges.select('other', ['quality']).whole)).toEqual(['default'])
    expect(() => judges.refuseUnused()).not.toThrow()
  })

  test('rejects an unknown name of a task or metric, with the nearest one', async () => {
    const { judges } = await plan({ judgeFor: { 'mme.qualty': [saying('a')] } })
    judges.select('mme', ['quality'])
    expect(() => judges.refuseUnused()).toThrow(/mme\.qualty.*asks a judge\. Did you mean "mme\.quality"\?/)
  })

  test('rejects the same judge twice in a panel', async () => {
    await expect(plan({ judgeFor: { mme: [saying('a'), saying('a')] } })).rejects.toThrow('the same judge twice')
  })
})

test.each([
  ['mme=openai,model=a', { mme: [{ model: 'openai', args: { model: 'a' } }] }],
  ['mme.quality=dummy', { 'mme.quality': [{ model: 'dummy', args: {} }] }],
])('reads the flag %s', (text, read) => {
  expect(addJudgeChoice(text, undefined, '--judge-for')).toEqual(read)
})

test.each(['mme', '=openai', 'mme=', 'mme=model=a'])('rejects the flag %s', text => {
  expect(() => addJudgeChoice(text, undefined, '--judge-for')).toThrow('--judge-for: expected')
})

test('the same task in two flags is a panel, and a file accepts texts, mappings and lists', () => {
  const twice = addJudgeChoice('t=b,model=2', addJudgeChoice('t=a,model=1', undefined, '--judge-for'), '--judge-for')
  const panel: JudgeChoices = {
    t: [
      { model: 'a', args: { model: '1' } },
      { model: 'b', args: { model: '2' } },
    ],
  }
  expect(twice).toEqual(panel)
  expect(judgeChoices.parse({ t: ['a,model=1', { model: 'b', args: { model: '2' } }] })).toEqual(panel)
  expect(judgeChoices.parse(panel)).toEqual(panel)
  expect(judgeChoices.safeParse({ t: 'model=1' }).error?.message).toContain('the name of a backend')
})

const graded = {
  output_type: 'generate_until',
  config: {
    metric_list: [
      { metric: 'model_graded', name: 'right', kind: 'binary', question: false, canaries: 0 },
      { metric: 'model_graded', name: 'fine', kind: 'binary', question: false, canaries: 0 },
    ],
  },
}

async function score(settings: JudgeSettings) {
  const { judges, run } = await plan(settings)
  const scorer = await makeTaskScorer('t', graded, { cacheDir: '', exported: [], judges })
  const body = await judges.during(run, async () => scorer.score(answeredDoc(recordOf('x'), ['x'])))
  return { scorer, body, judges }
}

describe('score keys and values', () => {
  test('a judge named for the task gives the same key as a default one', async () => {
    const one = await score({ judgeModel: 'dummy', judgeArgs: { mode: 'fixed', text: 'VERDICT: CORRECT' } })
    const other = await score({ judgeFor: { t: [saying('VERDICT: CORRECT')] } })
    expect(other.scorer.judging).toEqual(one.scorer.judging)
    expect(other.body).toEqual(one.body)
    expect(one.body.values).toEqual({ right: 1, fine: 1 })
  })

  test('a judge of one metric is in the key under its name', async () => {
    const { scorer, body, judges } = await score({
      judgeModel: 'dummy',
      judgeArgs: { mode: 'fixed', text: 'VERDICT: CORRECT' },
      judgeFor: { 't.fine': [saying('VERDICT: INCORRECT')] },
    })
    const [first, second] = judges.identities
    expect(scorer.judging.config).toMatchObject({ judge: first, judges: { fine: second } })
    expect(body.values).toEqual({ right: 1, fine: 0 })
  })

  test('a panel keeps each verdict, counts disputed docs and computes their agreement', async () => {
    const panel = [saying('VERDICT: CORRECT'), saying('so VERDICT\nVERDICT: CORRECT'), saying('VERDICT: INCORRECT')]
    const { scorer, body } = await score({ judgeFor: { t: panel } })
    expect(body).toMatchObject({ values: { right: 1, fine: 1 }, disputed: true })
    expect(body.extracted['right']).toEqual({
      judges: [
        { judge: 'dummy', value: 1 },
        { judge: 'dummy #2', value: 1 },
        { judge: 'dummy #3', value: 0 },
      ],
      agreement: 2 / 3,
    })
    const [right] = scorer.aggregate([body], { docs: 1 })
    expect(right).toMatchObject({
      value: 1,
      judges: ['dummy', 'dummy #2', 'dummy #3'],
      panel: { docs: 1, disputed: 1, alpha: 0 },
    })
  })

  test('a failing judge of a panel fails the doc', async () => {
    const { body } = await score({ judgeFor: { t: [saying('VERDICT: CORRECT'), saying('no idea')] } })
    expect(body).toMatchObject({
      outcome: 'judge_failed',
      values: {},
      reason: expect.stringMatching(/^1 of the 2 judges of the panel failed: dummy #2: .*no line/) as string,
    })
  })
})
