import { expect, test } from 'vitest'
import type { Run } from '../../../../cache/records.js'
import type { Store } from '../../../../cache/store.js'
import { runMark } from '../../../../stages/model/stats/stats-collector.js'
import type { ModelPrice } from '../../../../src/cost/model-price.js'
import { resultsJson } from '../../../../src/present/json/results-json.js'
import { servedLines } from '../../../../src/present/text/throughput/throughput-lines.js'
import { forgetStats, runStats } from '../../../../src/reading/runs/run-stats.js'
import { question, temporaryFolder, temporaryStore, testRun } from '../../../support/store.js'
import { openStore } from '../../../../cache/open.js'

const free = (tables: string, input = 0): ModelPrice => ({ tables, read: () => Promise.resolve({ input, output: 0 }) })

/** Answers this many pending requests, each with a million input tokens. */
async function answerSome(store: Store, run: Run, limit: number, served?: (index: number) => string): Promise<void> {
  const { leases } = await store.requests.lease(run, { after: 0, limit, retryFailed: false })
  for (const [index, lease] of leases.entries())
    await store.requests.commitResponse(
      lease,
      { text: 'x', finishReason: 'stop' },
      {
        durationMs: 5,
        attempts: 1,
        answeredAt: run.createdAt + 10,
        run: runMark(run.id),
        ...(served && { served: served(index) }),
        usage: { inputTokens: 1_000_000, outputTokens: 1 },
      },
    )
}

/** Counts reads of the metadata of answers. */
function counted(store: Store): { readonly store: Store; readonly reads: () => number } {
  let reads = 0
  const answerMetas: Store['requests']['answerMetas'] = run => {
    reads += 1
    return store.requests.answerMetas(run)
  }
  const watched = new Proxy(store, {
    get: (target, name) => {
      if (name === 'requests') return { ...target.requests, answerMetas }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
  return { store: watched, reads: () => reads }
}

test('reads figures once, and again only after new answers or with other prices', async () => {
  const dir = await temporaryFolder()
  const { store, reads } = counted(await temporaryStore(dir))
  const run = await testRun(store)
  await store.docs.commit(run, 0, [question(0), question(1), question(2)], true)
  await answerSome(store, run, 2)
  const first = await runStats(store, run, { price: free('a', 3) })
  expect(first).toMatchObject({ answers: { asked: 2 }, cost: { usd: 6, priced: 2 } })
  expect(await runStats(store, run, { price: free('a', 3) })).toEqual(first)
  expect(await runStats(store, run)).toEqual(first)
  expect(reads()).toBe(1)

  expect(await runStats(store, run, { price: free('b', 1) })).toMatchObject({ cost: { usd: 2 } })
  expect(reads()).toBe(2)
  await answerSome(store, run, 1)
  expect(await runStats(store, run, { price: free('b', 1) })).toMatchObject({ answers: { asked: 3 } })
  expect(reads()).toBe(3)
  await forgetStats(store, run)
  await runStats(store, run, { price: free('b', 1) })
  expect(reads()).toBe(4)

  const other = await openStore(dir, { access: 'read' })
  const remembered = counted(other)
  expect(await runStats(remembered.store, run, { price: free('b', 1) })).toMatchObject({ answers: { asked: 3 } })
  expect(remembered.reads()).toBe(0)
  await other.close()
})

test('counts models that the server named instead of the requested one, the most frequent first', async () => {
  const store = await temporaryStore()
  const run = await testRun(store)
  await store.docs.commit(
    run,
    0,
    Array.from({ length: 30 }, (_, doc) => question(doc)),
    true,
  )
  await answerSome(store, run, 2)
  const asked = await runStats(store, run)
  expect(asked).not.toHaveProperty('served')
  expect(servedLines(asked)).toEqual([])
  await answerSome(store, run, 3, index => (index === 0 ? 'b-2025' : 'a\n-2025'))
  const figures = await runStats(store, run)
  expect(figures.served).toEqual([
    { model: 'a\n-2025', answers: 2 },
    { model: 'b-2025', answers: 1 },
  ])
  expect(servedLines(figures)).toEqual([
    'answered by a -2025 (2 answers), b-2025 (1 answer), as the server says: not the name that was asked',
  ])
  const results = resultsJson({ run, counts: await store.runs.counts(run), failures: [], figures })
  expect(results).toMatchObject({ provenance: { served: figures.served } })
  // A server with another model name in each answer does not fill the report.
  await answerSome(store, run, 25, index => `m${index}`)
  const many = await runStats(store, run)
  expect(many.served).toHaveLength(20)
  expect(servedLines(many)[0]).toMatch(
    /^answered by a -2025 \(2 answers\), b-2025 .*, m0 \(1 answer\), …, as the server/,
  )
})

test('counts docs with the same request once', async () => {
  const store = await temporaryStore()
  const run = await testRun(store)
  await store.docs.commit(run, 0, [question(0, 'same'), question(1, 'same'), question(2, 'other')], true)
  await answerSome(store, run, 3)
  expect((await store.runs.counts(run)).answered).toBe(3)
  expect((await runStats(store, run)).answers).toEqual({ asked: 2, fromStore: 0, batch: 0 })
})

test('counts failed attempts of a request that was answered later', async () => {
  const store = await temporaryStore()
  const run = await testRun(store)
  await store.docs.commit(run, 0, [question(0)], true)
  const { leases } = await store.requests.lease(run, { after: 0, limit: 1, retryFailed: false })
  await store.requests.commitFailure(leases[0]!, { class: 'rate_limited', message: 'slow down', attempts: 6 })
  expect((await runStats(store, run)).attempts).toEqual({ sent: 6, retries: 5, throttled: 6 })
})

test('each task of a run has its figures, and a request of two tasks counts for the first', async () => {
  const store = await temporaryStore()
  const run = await testRun(store, ['one', 'two'])
  await store.docs.commit(run, 0, [question(0, 'shared'), question(1, 'own')], true)
  await store.docs.commit(run, 1, [question(0, 'shared'), question(1, 'other'), question(2, 'bad')], true)
  // Two of them are one request.
  await answerSome(store, run, 4)
  const { leases } = await store.requests.lease(run, { after: 0, limit: 9, retryFailed: false })
  await store.requests.commitFailure(leases[0]!, { class: 'rate_limited', message: 'slow down', attempts: 6 })
  const figures = await runStats(store, run, { price: free('a', 1) })
  expect(figures).toMatchObject({ answers: { asked: 3 }, attempts: { sent: 9 }, cost: { usd: 3 } })
  expect(figures.tasks).toMatchObject([
    { task: 'one', answers: { asked: 2 }, attempts: { sent: 2, throttled: 0 }, cost: { usd: 2, priced: 2 } },
    { task: 'two', answers: { asked: 1 }, attempts: { sent: 7, retries: 5, throttled: 6 }, tokens: { counted: 1 } },
  ])
  expect(figures.tasks?.[0]).not.toHaveProperty('timeline')
  expect(await runStats(store, run, { price: free('a', 1) })).toEqual(figures)
})
