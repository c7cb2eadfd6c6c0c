import { expect, onTestFinished, test } from 'vitest'
import {
  judge as judgeAgain,
  defineJudge,
  defineTask,
  evaluate,
  modelGraded,
  mockModel,
  openStore,
  rows,
  type GradedOptions,
} from '../../../src/index.js'
import type { EvaluatedRun, MockRequest, RunSample } from '../../../src/index.js'
import { openStore as openAt } from '../../../cache/open.js'
import { openJudgeExchanges } from '../../../src/reading/samples/judge-exchanges.js'
import { findRun } from '../../../src/reading/runs/run-reference.js'
import { stoppedRun } from '../../../src/reading/runs/stopped-run.js'
import { verdictMark } from '../../support/graded.js'
import { temporaryFolder } from '../../support/store.js'

async function readSamples(run: EvaluatedRun): Promise<readonly RunSample[]> {
  const samples: RunSample[] = []
  for await (const sample of run.samples()) samples.push(sample)
  return samples
}

const absurd = 'Seventeen purple umbrellas'

const graded = (docs: number, options: Partial<GradedOptions> = {}) =>
  defineTask({
    name: 'graded',
    module: import.meta.url,
    dataset: rows(Array.from({ length: docs }, (_, i) => ({ question: `What is ${i}?`, right: `number ${i}` }))),
    prompt: doc => doc.question,
    target: doc => doc.right,
    metrics: { grade: modelGraded({ kind: 'binary', ...options }) },
  })

/** A judge that compares answer and reference. */
const sensible = ({ text }: MockRequest): string => {
  const read = (name: string) => new RegExp(`\\[BEGIN ${name} .*\\]\n([^]*)\n\\[END ${name}`).exec(text)?.[1]
  return `${verdictMark(text)} ${read('ANSWER') === read('REFERENCE') ? 'CORRECT' : 'INCORRECT'}`
}

const model = () => mockModel({ version: '1', reply: ({ text }) => (text.includes('0') ? 'number 0' : 'wrong') })

test('sends two canary questions before the docs, and judging again sends nothing', async () => {
  const store = await temporaryFolder()
  const judge = mockModel({ model: 'judge', version: '1', reply: sensible })
  const task = graded(5)
  const run = await evaluate({ store, model: model(), tasks: [task], judge: defineJudge({ model: judge }) })
  expect(run.of(task).metrics['grade']).toMatchObject({ value: 0.2, n: 5, total: 5 })
  expect(judge.calls.filter(({ text }) => text.includes(absurd))).toHaveLength(1)
  expect(judge.calls.length).toBeLessThanOrEqual(7)
  const asked = judge.calls.length
  await judgeAgain(run, { tasks: [task], judge })
  expect(judge.calls).toHaveLength(asked)
})

test('each call names its doc, and equal requests keep their keys', async () => {
  const store = await openStore(await temporaryFolder())
  onTestFinished(() => store.close())
  const judge = mockModel({ model: 'judge', version: '1', reply: sensible })
  const { run } = await evaluate({ store, model: model(), tasks: [graded(3, { canaries: 0 })], judge })
  const [, calls] = (await store.runs.list()).toSorted(({ asked }) => (asked.judge === undefined ? -1 : 1))
  const docs: unknown[] = []
  for await (const { record } of store.judgements.samples(calls!)) docs.push(record.doc)
  expect(docs).toHaveLength(3)
  expect(docs).toEqual(expect.arrayContaining([{ task: run.asked.tasks[0]?.name, index: 1, id: '1' }]))
})

test('docs with the same judge prompt share one request, and each shows its reply', async () => {
  const store = await openStore(await temporaryFolder())
  onTestFinished(() => store.close())
  const judge = mockModel({ model: 'judge', version: '1', reply: sensible })
  const task = defineTask({
    name: 'twins',
    module: import.meta.url,
    dataset: rows([1, 1, 2].map(number => ({ question: `What is ${number}?`, right: `number ${number}` }))),
    prompt: doc => doc.question,
    target: doc => doc.right,
    metrics: { grade: modelGraded({ kind: 'binary', canaries: 0 }) },
  })
  const { run } = await evaluate({ store, model: model(), tasks: [task], judge })
  expect(judge.calls).toHaveLength(2)
  const calls = (await store.runs.list()).find(({ asked }) => asked.judge !== undefined)
  const named: unknown[] = []
  for await (const { record } of store.judgements.samples(calls!)) named.push(record.doc['index'])
  expect(named.toSorted()).toEqual([0, 1, 2])
  const exchanges = await openJudgeExchanges(store, { run })
  const shown: (readonly string[])[] = []
  for await (const sample of store.judgements.samples(run))
    shown.push((await exchanges.read(sample)).map(({ item }) => item.response?.body.text ?? ''))
  expect(shown.map(texts => texts.length)).toEqual([1, 1, 1])
  expect(shown[0]).toEqual(shown[1])
})

test.each([
  ['says that everything is right', 'CORRECT', 'the judge says that an absurd answer is right'],
  ['says that everything is wrong', 'INCORRECT', 'the judge says that the reference itself is wrong'],
])('stops a judge that breaks during a run and %s', async (_, word, reason) => {
  let calls = 0
  const judge = mockModel({
    model: 'judge',
    version: '1',
    reply: request => (++calls <= 10 ? sensible(request) : `${verdictMark(request.text)} ${word}`),
  })
  const task = graded(600)
  const run = await evaluate({ store: await temporaryFolder(), model: model(), tasks: [task], judge })
  const reasons = (await readSamples(run)).flatMap(sample =>
    sample.outcome === 'judge_failed' ? [sample.reason ?? ''] : [],
  )
  expect(reasons.length).toBeGreaterThan(0)
  expect(reasons[0]).toContain(reason)
  expect(reasons[0]).toContain('in a question that it answered rightly before')
})

test('sends the control questions again along a run, and goes on with a judge that errs once', async () => {
  let absurdCalls = 0
  const judge = mockModel({
    model: 'judge',
    version: '1',
    reply: request =>
      request.text.includes(absurd) && ++absurdCalls === 2 ? `${verdictMark(request.text)} CORRECT` : sensible(request),
  })
  const task = graded(120)
  const run = await evaluate({ store: await temporaryFolder(), model: model(), tasks: [task], judge })
  expect(run.of(task).metrics['grade']).toMatchObject({ n: 120, total: 120 })
  // Before the docs, after 25 with a second sample, after 50 and after 100.
  expect(absurdCalls).toBe(5)
  const asked = judge.calls.length
  await judgeAgain(run, { tasks: [task], judge })
  expect(judge.calls).toHaveLength(asked)
})

test('canaries: 0 sends none', async () => {
  const judge = mockModel({ model: 'judge', reply: sensible })
  const task = graded(5, { canaries: 0 })
  await evaluate({ store: await temporaryFolder(), model: model(), tasks: [task], judge })
  expect(judge.calls).toHaveLength(5)
  expect(judge.calls.some(request => request.text.includes(absurd))).toBe(false)
})

test.each([
  ['INCORRECT', 'the judge says that the reference itself is wrong'],
  ['CORRECT', 'the judge says that an absurd answer is right'],
])('a judge that replies %s to everything grades no doc', async (word, reason) => {
  const store = await temporaryFolder()
  const judge = mockModel({ model: 'judge', version: '1', reply: ({ text }) => `${verdictMark(text)} ${word}` })
  const task = graded(30)
  const run = await evaluate({ store, model: model(), tasks: [task], judge })
  expect(run.of(task).metrics['grade']).toMatchObject({ value: null, n: 0, total: 30 })
  expect(judge.calls).toHaveLength(2)
  const samples = await readSamples(run)
  expect(samples.map(({ outcome }) => outcome)).toEqual(samples.map(() => 'judge_failed'))
  expect(samples[0]?.reason).toContain(reason)
  expect(samples[0]?.reason).toMatch(/judge .*judge_?[mM]odel|judge-model/)
  // The same judge, fixed: wrong stored replies do not stop it.
  const mended = mockModel({ model: 'judge', version: '1', reply: sensible })
  const again = await judgeAgain(run, { tasks: [task], judge: mended })
  expect(again.of(task).metrics['grade']).toMatchObject({ n: 30, total: 30 })
  expect(mended.calls.length).toBeGreaterThanOrEqual(30)
})

test('stops a judge whose replies cannot be read, and sends no more requests', async () => {
  const judge = mockModel({ model: 'judge', version: '1', reply: () => 'I like it.' })
  const task = graded(200, { maxFailures: 20 })
  const run = await evaluate({ store: await temporaryFolder(), model: model(), tasks: [task], judge })
  expect(run.of(task).metrics['grade']).toMatchObject({ value: null, n: 0, total: 200 })
  expect(judge.calls.length).toBeGreaterThanOrEqual(20)
  // The number of further calls in flight depends on how busy the machine is.
  expect(judge.calls.length).toBeLessThan(200)
  const samples = await readSamples(run)
  const told = samples.filter(({ reason }) => reason?.includes('20 replies in a row failed') === true)
  expect(told.length).toBeGreaterThan(100)
})

test('stops a judge if more than half of its last replies fail, and the run says so', async () => {
  const store = await temporaryFolder()
  const judge = mockModel({
    model: 'judge',
    version: '1',
    reply: request => (request.call % 3 === 0 ? sensible(request) : 'I like it.'),
  })
  const task = graded(400, { canaries: 0, maxFailures: 50 })
  const run = await evaluate({ store, model: model(), tasks: [task], judge })
  expect(judge.calls.length).toBeGreaterThan(50)
  // How many calls are in flight by then depends on the pace.
  expect(judge.calls.length).toBeLessThan(400)
  const opened = await openAt(store, { access: 'read' })
  const { run: found } = await findRun(opened, run.run.name)
  const read = async () =>
    stoppedRun(opened, found, {
      counts: await opened.runs.counts(found),
      judgements: await opened.judgements.list(found),
    })
  const stopped = {
    code: 'judge_stopped',
    message: expect.stringMatching(/^The judge .* 51 of the last \d+ replies failed/) as string,
  }
  expect(await read()).toMatchObject(stopped)
  // judgeAgain stores its reason, too, and removes it once all docs have a score.
  await judgeAgain(run, {
    tasks: [task],
    judge: mockModel({ model: 'judge', version: '1', reply: () => 'I like it.' }),
  })
  expect(await read()).toMatchObject({ code: 'judge_stopped' })
  await judgeAgain(run, { tasks: [task], judge: mockModel({ model: 'other', version: '1', reply: sensible }) })
  expect(await read()).toBeUndefined()
  await opened.close()
})

test('failures that are not in a row do not stop the judge', async () => {
  const judge = mockModel({
    model: 'judge',
    reply: request => (request.call % 3 === 0 ? 'I like it.' : sensible(request)),
  })
  const task = graded(60, { maxFailures: 5 })
  const run = await evaluate({ store: await temporaryFolder(), model: model(), tasks: [task], judge })
  expect(judge.calls.length).toBeGreaterThanOrEqual(60)
  expect(run.of(task).metrics.grade.n).toBeGreaterThan(30)
})

test('without a judge model, every doc says so, and no canary is mentioned', async () => {
  const task = graded(3)
  const run = await evaluate({ store: await temporaryFolder(), model: model(), tasks: [task] })
  const samples = await readSamples(run)
  expect(samples.map(({ outcome, reason }) => [outcome, reason])).toEqual(
    samples.map(() => ['judge_failed', 'no judge model is named']),
  )
})

test('another judge model, prompt or scale causes scoring again', async () => {
  const store = await temporaryFolder()
  const first = mockModel({ model: 'judge', version: '1', reply: sensible })
  const run = await evaluate({ store, model: model(), tasks: [graded(4)], judge: first })
  const second = mockModel({ model: 'other', version: '1', reply: sensible })
  await judgeAgain(run, { tasks: [graded(4)], judge: second })
  expect(second.calls.length).toBeGreaterThanOrEqual(4)
})

test('defineJudge with a kind is the same metric as modelGraded', () => {
  expect(defineJudge({ kind: 'likert', low: 0, maxTokens: 64 })).toEqual(
    modelGraded({ kind: 'likert', low: 0, maxTokens: 64 }),
  )
})
