import { expect, test } from 'vitest'
import { endSession } from '../../../../src/reading/runs/session-end.js'
import { describeUnfinished } from '../../../../src/present/page/runs/unfinished.js'
import { temporaryStore } from '../../../support/store.js'
import { viewedRun, type ViewedDoc } from '../../../support/viewed-run.js'

const answered: ViewedDoc = { answer: 'blue' }
const refused: ViewedDoc = { failure: { class: 'refused', message: 'no', attempts: 2 } }
const limited: ViewedDoc = { failure: { class: 'rate_limited', message: 'later', attempts: 6 } }
const unmade: ViewedDoc = { failure: { class: 'invalid_request', message: 'no template', attempts: 0 } }

async function unfinished(docs: readonly ViewedDoc[], state: 'incomplete' | 'running' | 'complete' | 'not judged') {
  const store = await temporaryStore()
  const { run } = await viewedRun(store, docs)
  const found = await describeUnfinished(store, { run, state, failures: await store.requests.failures(run) })
  return { found, reference: `${run.name} --store ${store.location}` }
}

test.each([
  ['requests without an answer', [answered, {}], ['1 of 2 requests not answered yet'], ''],
  ['failures that may pass', [answered, limited], ['1 of 2 docs failed'], ''],
  ['failures for good alone', [answered, refused], ['1 of 2 docs failed'], ' --retry-failed'],
  ['both', [refused, {}], ['1 of 2 docs failed', '1 of 2 requests not answered yet'], ''],
])('a stopped run with %s says so and how to continue', async (_, docs, missing, flags) => {
  const { found, reference } = await unfinished(docs, 'incomplete')
  expect(found).toMatchObject({ missing, command: `pipeline resume ${reference}${flags}` })
})

test('offers no command if the task has to change', async () => {
  const { found } = await unfinished([answered, unmade], 'incomplete')
  expect(found).not.toHaveProperty('command')
  expect(found?.advice).toContain('Fix the task')
})

test('shows why the last session ended, if known', async () => {
  const store = await temporaryStore()
  const { run } = await viewedRun(store, [answered, {}])
  const look = async () => describeUnfinished(store, { run, state: 'incomplete', failures: [] })
  expect(await look()).toMatchObject({ stopped: null })
  await endSession(store, run, { code: 'time', message: 'Its time was over.' })
  expect(await look()).toMatchObject({
    stopped: {
      code: 'time',
      message: 'Its time was over.',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
    },
  })
})

test('offers judge for a run that only lacks scores', async () => {
  const { found, reference } = await unfinished([answered], 'not judged')
  expect(found?.command).toBe(`pipeline judge ${reference}`)
})

test.each(['running', 'complete'] as const)('returns nothing for a run that is %s', async state => {
  expect((await unfinished([answered, {}], state)).found).toBeNull()
})
