import { expect, test } from 'vitest'
import type { ScoreBody } from '../../../../cache/records.js'
import { runningInterval } from '../../../../src/reading/progress/running-mean.js'
import { RunningScores } from '../../../../src/reading/progress/running-scores.js'
import { WatchedRuns } from '../../../../src/reading/progress/watched-runs.js'
import { estimateMean, tInterval } from '../../../../stages/judge/statistics/intervals/mean.js'
import { wilson } from '../../../../stages/judge/statistics/intervals/proportions.js'
import {
  answerAll,
  askedRun,
  judgeStart,
  leaseAll,
  questions,
  rules,
} from '../../../support/store-conformance/scene.js'
import { answer, temporaryStore, testRun } from '../../../support/store.js'

test('computes the rate from successive looks, and the remaining time from the rate', async () => {
  const store = await temporaryStore()
  const run = await askedRun(store, 10)
  let now = (await store.runs.progress(run)).startedAt
  const watched = new WatchedRuns(store, { now: () => now })
  expect(await watched.look()).toEqual([])
  const leases = await leaseAll(store, run)
  expect(await watched.look()).toMatchObject([
    { run: { name: run.name }, overview: { state: 'running' }, elapsedMs: 0 },
  ])
  for (const lease of leases.slice(0, 4)) await answer(store, lease, 'yes')
  now += 2_000
  expect(await watched.look()).toMatchObject([
    { perSecond: 2, elapsedMs: 2_000, leftMs: 3_000, workers: [{ pid: process.pid, items: 6 }] },
  ])
})

test('a watched run stays in view when it ends, and disappears when it is removed', async () => {
  const store = await temporaryStore()
  const run = await askedRun(store, 2)
  const watched = new WatchedRuns(store, { named: [run], now: () => 0 })
  await answerAll(store, run)
  expect(await watched.look()).toMatchObject([{ overview: { state: 'running', answered: 2 } }])
  await store.judgements.close(await store.judgements.open(run, [rules]), [])
  const [ended] = await watched.look()
  expect(ended).toMatchObject({ overview: { state: 'complete' } })
  expect(ended).not.toHaveProperty('perSecond')
  await store.runs.remove(run)
  expect(await watched.look()).toEqual([])
})

test('updates the mean of scores of an unfinished judgement with each look', async () => {
  const store = await temporaryStore()
  const run = await testRun(store, ['t'])
  await store.docs.commit(run, 0, questions(6), true)
  await answerAll(store, run)
  const judgement = await store.judgements.open(run, [
    { ...rules, config: { metric_list: [{ metric: 'sizes', aggregation: 'max' }, { metric: 'acc' }] } },
  ])
  const { docs } = await store.judgements.docsToJudge(judgement, judgeStart, 10)
  const body = (acc: number): ScoreBody => ({ outcome: 'scored', values: { sizes: 9, acc }, extracted: {} })
  const scores = new RunningScores(store, run)
  await store.judgements.commitScores(
    judgement,
    docs.slice(0, 4).map((doc, index) => ({ doc, body: body(index % 2) })),
  )
  expect(await scores.read(judgement, 3)).toEqual([
    { task: 't', metric: 'acc', value: 1 / 3, interval: wilson(1, 3), n: 3 },
  ])
  await store.judgements.commitScores(
    judgement,
    docs.slice(4).map(doc => ({ doc, body: body(1) })),
  )
  expect(await scores.read(judgement, 100)).toMatchObject([{ value: 4 / 6, n: 6 }])
  expect(await scores.read(judgement, 100)).toMatchObject([{ value: 4 / 6, n: 6 }])
})

test('shows no mean for values outside 0 to 1, which may be aggregated differently', async () => {
  const store = await temporaryStore()
  const run = await askedRun(store, 1)
  await answerAll(store, run)
  const judgement = await store.judgements.open(run, [rules])
  const { docs } = await store.judgements.docsToJudge(judgement, judgeStart, 10)
  await store.judgements.commitScores(
    judgement,
    docs.map(doc => ({ doc, body: { outcome: 'scored', values: { perplexity: -12.5 }, extracted: {} } })),
  )
  expect(await new RunningScores(store, run).read(judgement, 10)).toEqual([])
})

test('the interval from sums equals that of the values', () => {
  const sumsOf = (values: readonly number[]) => ({
    n: values.length,
    sum: values.reduce((sum, value) => sum + value, 0),
    squares: values.reduce((sum, value) => sum + value * value, 0),
  })
  expect(runningInterval(sumsOf([1]))).toBeNull()
  expect(runningInterval(sumsOf([1, 0, 1, 1]))).toEqual(wilson(3, 4))
  const values = [0.25, 0.5, 0.75, 0.5, 0.4, 0.6]
  const [low, high] = tInterval(estimateMean(values)!, 5)
  const [from, to] = runningInterval(sumsOf(values))!
  expect([from, to]).toEqual([expect.closeTo(low, 12), expect.closeTo(high, 12)])
  // Equal values have no known variance beyond a range.
  expect(runningInterval(sumsOf([7, 7, 7]))).toBeNull()
})
