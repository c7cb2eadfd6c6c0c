import { expect, test } from 'vitest'
import type { Aggregate } from '../../../../cache/records.js'
import { openStore } from '../../../../cache/open.js'
import { runOverview } from '../../../../src/reading/progress/run-overview.js'
import { answerAll, askedRun, judgeStart, rules } from '../../../support/store-conformance/scene.js'
import { temporaryFolder, temporaryStore } from '../../../support/store.js'

const score = (extra: Partial<Aggregate> = {}): Aggregate => ({
  task: 't',
  metric: 'exact_match',
  filter: 'none',
  value: 0.5,
  stderr: null,
  interval: null,
  intervalMethod: 'none',
  higherIsBetter: true,
  n: 2,
  total: 2,
  unparsed: 0,
  empty: 0,
  ...extra,
})

test('a run is running while a process works on it, and incomplete when that process is gone', async () => {
  const dir = await temporaryFolder()
  const store = await openStore(dir)
  const run = await askedRun(store, 3)
  await store.docs.lease(run, 0)
  expect(await runOverview(store, run)).toEqual({
    state: 'running',
    docs: 3,
    requests: 3,
    answered: 0,
    isInputFinished: true,
    failed: 0,
    scored: 0,
    scores: [],
    startedAt: expect.any(Number) as number,
  })
  expect((await store.runs.workedOn()).map(({ name }) => name)).toEqual([run.name])
  await store.close()

  const later = await temporaryStore(dir)
  expect(await runOverview(later, run)).toMatchObject({ state: 'incomplete', answered: 0 })
  expect(await later.runs.workedOn()).toEqual([])
})

test('a run is complete when its newest judgement is finished, and shows the scores of whole tasks and groups', async () => {
  const store = await temporaryStore()
  const run = await askedRun(store, 2)
  await answerAll(store, run)
  await store.close()
  const again = await openStore(store.location)
  expect(await runOverview(again, run)).toMatchObject({ state: 'not judged', answered: 2, scored: 0, scores: [] })

  const judgement = await again.judgements.open(run, [rules])
  const { docs } = await again.judgements.docsToJudge(judgement, judgeStart, 10)
  await again.judgements.commitScores(
    judgement,
    docs.map(doc => ({ doc, body: { outcome: 'scored', values: { exact_match: 1 }, extracted: {} } })),
  )
  expect(await runOverview(again, run)).toMatchObject({ state: 'not judged', scored: 2 })
  const group = score({ task: 'both', of: ['t'] })
  await again.judgements.close(judgement, [score(), score({ group: { field: 'type', label: 'color' } }), group])
  const overview = await runOverview(again, run)
  expect(overview).toMatchObject({ state: 'complete', docs: 2, answered: 2, failed: 0, scored: 2, fromJudgement: 1 })
  expect(overview.scores.map(({ task, group: part }) => [task, part])).toEqual([
    ['t', undefined],
    ['both', undefined],
  ])
  expect(overview.lastAnswerAt).toBeTypeOf('number')
  await again.close()
})
