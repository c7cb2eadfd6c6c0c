import { expect, test } from 'vitest'
import { answer, question, temporaryFolder, temporaryStore, testRun } from '../support/store.js'

const all = { after: 0, limit: 100, retryFailed: false }
const failure = { class: 'budget', message: '--max-requests 1: 1 were sent', attempts: 0 } as const

test('failing pending items leaves answered and failed items unchanged', async () => {
  const store = await temporaryStore()
  const run = await testRun(store)
  // The last two share a request.
  await store.docs.commit(
    run,
    0,
    [question(0), question(1), question(2), question(3, 'same'), question(4, 'same')],
    true,
  )
  const { leases } = await store.requests.lease(run, all)
  await answer(store, leases[0]!, 'yes')
  await store.requests.commitFailure(leases[1]!, { class: 'server', message: '500', attempts: 6 })
  await store.requests.release(leases)
  expect(await store.requests.failWaiting(run, failure)).toBe(2)
  expect(await store.runs.counts(run)).toMatchObject({
    answered: 1,
    failed: { server: 1, budget: 3 },
    open: 4,
    pending: 0,
  })
  expect(await store.requests.failWaiting(run, failure)).toBe(0)
})

test('requests that exceeded a budget become pending again, also for the same process', async () => {
  const store = await temporaryStore()
  const run = await testRun(store)
  await store.docs.commit(run, 0, [question(0), question(1)], true)
  await store.requests.failWaiting(run, failure)
  await store.requests.reopenOverBudget(run)
  expect(await store.runs.counts(run)).toMatchObject({ failed: {}, pending: 2 })
  expect((await store.requests.lease(run, all)).leases).toHaveLength(2)
})

test('does not fail the same request of another run', async () => {
  const store = await temporaryStore()
  const run = await testRun(store)
  const other = await testRun(store, ['t', 'u'])
  for (const each of [run, other]) await store.docs.commit(each, 0, [question(0)], true)
  await store.requests.failWaiting(run, failure)
  expect(await store.runs.counts(other)).toMatchObject({ failed: {}, pending: 1 })
})

test('fails 12,000 pending items', async () => {
  const store = await temporaryStore()
  const run = await testRun(store)
  const docs = Array.from({ length: 12_000 }, (_, index) => question(index))
  await store.docs.commit(run, 0, docs, true)
  expect(await store.requests.failWaiting(run, failure)).toBe(12_000)
  expect(await store.runs.counts(run)).toMatchObject({ failed: { budget: 12_000 }, pending: 0 })
})

test('a failure of access can be retried, though its class is permanent', async () => {
  const dir = await temporaryFolder()
  const store = await temporaryStore(dir)
  const run = await testRun(store)
  await store.docs.commit(run, 0, [question(0), question(1)], true)
  const { leases } = await store.requests.lease(run, all)
  await store.requests.commitFailure(leases[0]!, {
    class: 'invalid_request',
    message: '401',
    attempts: 1,
    opensAgain: true,
  })
  await store.requests.commitFailure(leases[1]!, { class: 'invalid_request', message: '400', attempts: 1 })
  expect(await store.runs.counts(run)).toMatchObject({ failed: { invalid_request: 2 }, open: 1 })
  expect((await store.requests.failures(run)).map(({ failure: { opensAgain } }) => opensAgain)).toEqual([
    true,
    undefined,
  ])
  expect(await store.requests.answerOf(leases[0]!.key)).toBeUndefined()
})
