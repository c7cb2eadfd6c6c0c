import { describe, expect, onTestFinished, test } from 'vitest'
import type { StageEvent } from '../../../cache/events.js'
import { planJudge } from '../../../src/judging/plan-judge.js'
import type { JudgeSettings } from '../../../src/config/settings.js'
import { Spending } from '../../../src/cost/spending.js'
import { makeTaskScorer } from '../../../src/judging/scoring.js'
import type { Parity } from '../../../stages/judge/define/parity.js'
import type { ScoringContext } from '../../../stages/judge/compile/scoring-spec.js'
import { answeredDoc, judgedBy, recordOf } from '../../support/judged.js'
import { startFakeOpenai } from '../../support/fake-openai.js'
import { typed } from '../../support/typed.js'
import { temporaryStore, testRun } from '../../support/store.js'

const saying = (text: string, latency = 0): JudgeSettings => ({
  judgeModel: 'dummy',
  judgeArgs: { mode: 'fixed', text, latency_ms: latency },
})

/** A judge that says `yes` after `latency` milliseconds. */
const sayingYes = (latency = 0): JudgeSettings => saying('yes', latency)

async function judgeOf(settings = sayingYes(), spending?: Spending) {
  const store = await temporaryStore()
  const events: StageEvent[] = []
  const drain = new AbortController()
  const judge = await planJudge(settings, {
    store,
    plugins: { backends: [], exports: [], closures: new Map() },
    env: {},
    hooks: { emit: event => void events.push(event), drain: drain.signal, stop: new AbortController().signal },
    spending,
  })
  return { store, run: await testRun(store), judge: judge!, events, drain }
}

test('equal prompts are one call, whose reply is reused', async () => {
  const { store, run, judge, events } = await judgeOf()
  const replies = await judge.during(run, () =>
    Promise.all([judge.ask({ messages: 'a?' }), judge.ask({ messages: 'a?' })]),
  )
  expect(replies).toEqual([
    { type: 'answered', text: 'yes' },
    { type: 'answered', text: 'yes' },
  ])
  expect(events).toContainEqual({ type: 'note', text: 'judge dummy: 1 asked, 0 from the store' })
  const [, calls] = await store.runs.list()
  expect(await store.runs.counts(calls!)).toMatchObject({ items: 1, answered: 1, pending: 0 })
})

test('failing work aborts its judge requests, and its own error is reported', async () => {
  const { judge, run } = await judgeOf(sayingYes(60_000))
  const asked: Promise<unknown>[] = []
  const work = async (): Promise<never> => {
    asked.push(judge.ask({ messages: 'a?' }).catch((error: unknown) => error))
    await new Promise(resolve => setImmediate(resolve))
    throw new Error('the disk is full')
  }
  await expect(judge.during(run, work)).rejects.toThrow('the disk is full')
  expect(await asked[0]).toEqual(new Error('interrupted'))
})

test('an interruption reports only itself for pending requests', async () => {
  const { judge, run, drain } = await judgeOf(sayingYes(60_000))
  const reply = judge.during(run, () => judge.ask({ messages: 'a?' }))
  drain.abort()
  await expect(judge.ask({ messages: 'b?' })).rejects.toThrow('interrupted')
  await expect(reply).rejects.toThrow('interrupted')
})

test('rejects judge arguments without a judge model', async () => {
  const { store } = await judgeOf()
  const never = new AbortController().signal
  const hooks = { emit: () => undefined, drain: never, stop: never }
  const plugins = { backends: [], exports: [], closures: new Map() }
  await expect(planJudge({ judgeArgs: { model: 'm' } }, { store, plugins, hooks, env: {} })).rejects.toThrow(
    'judgeArgs: also give judgeModel',
  )
})

test('stops requests to a judge that rejects the key, and says what to do', async () => {
  const server = await startFakeOpenai({ fault: () => ({ status: 401, body: { error: { message: 'no such key' } } }) })
  onTestFinished(() => server.close())
  const settings = { judgeModel: 'openai', judgeArgs: { model: 'j', base_url: server.url } }
  const { judge, run, events } = await judgeOf(settings, new Spending({}))
  const prompts = Array.from({ length: 60 }, (_, index) => `${index}?`)
  const replies = await judge.during(run, () => Promise.all(prompts.map(messages => judge.ask({ messages }))))
  const refused = expect.stringContaining('the judge model: invalid_request: 401 no such key') as string
  expect(replies).toEqual(prompts.map(() => ({ type: 'failed', reason: refused })))
  expect(server.stats().requests).toBeLessThanOrEqual(20)
  const notes = events.flatMap(event => (event.type === 'note' ? [event.text] : []))
  expect(typed(notes[0] ?? '')).toMatch(
    /^the judge openai j refuses to answer, and is asked nothing more: 401 no such key .*All answers are kept.*pipeline judge [a-z]+-[a-z]+-[0-9a-f]+ --judge-model openai/,
  )
})

test('a call over a limit fails without a request, and stored replies are still returned', async () => {
  const spending = new Spending({ maxRequests: 1 })
  const { judge, run } = await judgeOf(sayingYes(), spending)
  const replies = await judge.during(run, async () => {
    const first = await judge.ask({ messages: 'a?' })
    return [first, ...(await Promise.all(['b?', 'c?', 'a?'].map(messages => judge.ask({ messages }))))]
  })
  const over = { type: 'failed', reason: 'the judge model: budget: maxRequests: 1: 1 were sent' }
  const yes = { type: 'answered', text: 'yes' }
  expect(replies).toEqual([yes, over, over, yes])
  expect(spending.stopped).toMatchObject({ why: 'budget', limit: 'requests' })
})

test('rejects a cost limit for a judge without a known price', async () => {
  await expect(judgeOf(sayingYes(), new Spending({ maxCost: 1 }))).rejects.toThrow(
    'what the model dummy of dummy costs',
  )
})

describe('each task reads replies by its own rule', () => {
  test.each<[tags: 'none' | [string, string][] | undefined, parity: Parity | undefined, read: string]>([
    [undefined, undefined, '<r>no</r> yes'],
    ['none', undefined, '<r>no</r> yes'],
    [[['<r>', '</r>']], undefined, 'yes'],
    [[['<r>', '</r>']], 'lmms-eval', '<think>no</think><r>no</r> yes'],
  ])('with reasoning_tags %j and parity %s', async (tags, parity, read) => {
    const { judge, run } = await judgeOf(saying('<think>no</think><r>no</r> yes'))
    const heard: string[] = []
    const ask = async (_doc: unknown, _results: unknown, context: ScoringContext) => {
      const reply = await context.ask({ messages: 'a?' })
      heard.push(reply.type === 'answered' ? reply.text : reply.reason)
      return { right: 1 }
    }
    const scoring = {
      output_type: 'generate_until',
      config: { metric_list: [{ metric: 'right' }], ...(tags && { reasoning_tags: tags }) },
      process_results: 'ask',
      functions: { ask: { function: 'utils.ask', code: 'utils.ts' } },
    }
    const options = {
      cacheDir: '',
      exported: [],
      judges: judgedBy(judge.ask),
      functions: { ask },
      ...(parity && { parity }),
    }
    const scorer = await makeTaskScorer('t', scoring, options as Parameters<typeof makeTaskScorer>[2])
    await judge.during(run, async () => scorer.score(answeredDoc(recordOf('x'), ['x'])))
    expect(heard).toEqual([read])
  })
})

test('an empty reply is a failure, unless the task allows it', async () => {
  const { judge, run } = await judgeOf(saying(''))
  const [verdict, transcript] = await judge.during(run, () =>
    Promise.all([judge.ask({ messages: 'a?' }), judge.ask({ messages: 'a?', mayBeEmpty: true })]),
  )
  expect(verdict).toMatchObject({ type: 'failed', reason: 'the judge model: its reply is empty' })
  expect(transcript).toEqual({ type: 'answered', text: '' })
})
