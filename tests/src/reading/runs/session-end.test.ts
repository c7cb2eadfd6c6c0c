import { describe, expect, test, vi } from 'vitest'
import type { Store } from '../../../../cache/store.js'
import { beginSession, endSession, stoppedSession } from '../../../../src/reading/runs/session-end.js'
import { MemoryData } from '../../../support/memory-data.js'
import { MemoryStore } from '../../../support/memory-store.js'
import { temporaryStore, testRun } from '../../../support/store.js'

const stores: readonly (readonly [string, () => Promise<Store>])[] = [
  ['SQLite', temporaryStore],
  ['memory', () => Promise.resolve(new MemoryStore(new MemoryData(), 'first'))],
]

describe.each(stores)('%s', (_, open) => {
  test('reports why a session ended and when, until a later one leaves nothing to do', async () => {
    const store = await open()
    const run = await testRun(store)
    expect(await stoppedSession(store, run)).toBeUndefined()
    await beginSession(store, run)
    const before = Date.now()
    await endSession(store, run, { code: 'time', message: 'Its time was over.' })
    const stopped = await stoppedSession(store, run)
    expect(stopped).toEqual({ code: 'time', message: 'Its time was over.', at: stopped?.at })
    expect(stopped?.at).toBeGreaterThanOrEqual(before)
    await endSession(store, run, undefined)
    expect(await stoppedSession(store, run)).toBeUndefined()
  })

  test('a session that started and never ended was killed', async () => {
    const store = await open()
    const run = await testRun(store)
    await endSession(store, run, { code: 'budget', message: 'Its budget was used up.' })
    await beginSession(store, run)
    expect(await stoppedSession(store, run)).toMatchObject({
      code: 'killed',
      message: expect.stringContaining('ended without a message') as string,
    })
  })

  test('gives no reason while another process works on the run', async () => {
    const store = await open()
    const run = await testRun(store)
    await beginSession(store, run)
    vi.spyOn(store.runs, 'isWorkedOnElsewhere').mockResolvedValue(true)
    expect(await stoppedSession(store, run)).toBeUndefined()
  })

  test('a recreated run has no reason of the removed one, and an unknown code is an error', async () => {
    const store = await open()
    const run = await testRun(store)
    await endSession(store, run, { code: 'failed', message: 'no.' })
    expect(await stoppedSession(store, { ...run, createdAt: run.createdAt + 1 })).toBeUndefined()
    await store.values.set(`session ${run.id}`, {
      v: 1,
      of: run.createdAt,
      at: 7,
      ended: { code: 'a code of tomorrow', message: 'It rained.' },
    })
    expect(await stoppedSession(store, run)).toEqual({ code: 'failed', message: 'It rained.', at: 7 })
    await store.values.set(`session ${run.id}`, { v: 2 })
    expect(await stoppedSession(store, run)).toBeUndefined()
  })
})
