import { describe, expect, test, vi } from 'vitest'
import type { Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import type { StoreWorld } from './world.js'
import { answer, testRun } from '../store.js'
import { askedRun, judgeStart, leaseAll, questions, refusal, rules, timeout } from './scene.js'

/**
 * Compares the cheap counts with those that are read from the rows. A count that took long, as any may on a busy
 * machine, is not repeated at once.
 */
async function expectSameCounts(store: Store, run: Run): Promise<void> {
  const { docs, items, answered, failed, inputFinished } = await store.runs.counts(run)
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0)
  await vi.waitFor(
    async () =>
      expect(await store.runs.progress(run)).toMatchObject({ docs, items, answered, failed: failures, inputFinished }),
    { timeout: 60_000 },
  )
}

export function describeProgress(makeWorld: () => Promise<StoreWorld>): void {
  describe('progress', () => {
    test('each look counts what any process added since the one before', async () => {
      const world = await makeWorld()
      const [reader, writer] = [await world.open('reader'), await world.open('writer')]
      const run = await testRun(writer)
      const look = (): Promise<void> => expectSameCounts(reader, run)
      await look()
      await writer.docs.commit(run, 0, questions(3), false)
      await look()
      const [first, second, third] = await leaseAll(writer, run)
      await answer(writer, first!, 'yes')
      await look()
      await writer.requests.commitFailure(second!, refusal)
      await writer.requests.commitFailure(third!, timeout)
      await look()
      // The failed request is answered after all.
      await answer(writer, third!, 'late')
      await writer.docs.commit(run, 0, questions(2, 3), true)
      await look()
      expect(await reader.runs.progress(run)).toMatchObject({ items: 5, answered: 2, failed: 1, inputFinished: true })
    })

    test('lists the requests of docs in order, with their draws, up to a doc', async () => {
      const store = await (await makeWorld()).open('reader')
      const run = await testRun(store, ['a', 'b'])
      const [first, second] = questions(2)
      const [request] = first!.requests
      const drawn = { ...second!, requests: [{ ...request!, draw: 1 }] }
      await store.docs.commit(run, 0, [first!, drawn], true)
      await store.docs.commit(run, 1, [{ ...first!, requests: [{ ...request!, draw: 2 }] }], false)
      const list = async (...args: [{ task: number; doc: number }?, boolean?]) => {
        const pages = []
        for await (const page of store.docs.requests(run, ...args)) pages.push(...page)
        return pages
      }
      expect((await list()).map(({ draw }) => draw)).toEqual([0, 1, 2])
      expect((await list({ task: 1, doc: 0 })).map(({ draw }) => draw)).toEqual([0, 1])
      expect((await list({ task: 0, doc: 1 })).map(({ draw }) => draw)).toEqual([0])
      expect(new Set((await list()).map(({ input, config }) => input + config)).size).toBe(1)
      const [text] = await list(undefined, true)
      expect(JSON.parse(text!.text!)).toMatchObject({ type: 'generate_until', v: 1 })
      expect(
        new Set(
          (await store.requests.lease(run, { after: 0, limit: 9, retryFailed: false })).leases.map(
            ({ sample }) => sample,
          ),
        ),
      ).toEqual(new Set([0, 1, 2]))
    })

    test('a scored run counts its failed requests, in any process that looks for the first time', async () => {
      const world = await makeWorld()
      const [reader, writer] = [await world.open('reader'), await world.open('writer')]
      const body = { type: 'generate_until' as const, messages: [] }
      const [request] = questions(1)[0]!.requests
      // The second doc has two requests, of which one fails and one stays open.
      const twice = [0, 1].map(sample => ({ ...request!, sample, input: { ...body, continuation: `${sample}` } }))
      const [first, second, third] = questions(3)
      const run = await askedRun(writer, [first!, { ...second!, requests: twice }, third!])
      const [one, two, , three] = await leaseAll(writer, run)
      await answer(writer, one!, 'a')
      await writer.requests.commitFailure(two!, refusal)
      await answer(writer, three!, 'c')
      const judgement = await writer.judgements.open(run, [rules])
      const { docs } = await writer.judgements.docsToJudge(judgement, judgeStart, 10)
      const scored = { outcome: 'scored', values: { m: 1 }, extracted: {} } as const
      await writer.judgements.commitScores(
        judgement,
        docs.map(doc => ({ doc, body: scored })),
      )
      await expectSameCounts(reader, run)
      expect(await reader.runs.progress(run)).toMatchObject({ items: 4, answered: 2, failed: 1, scored: 2 })
    })

    test('a run counts answers and permanent failures of another run, and its own at each item', async () => {
      const store = await (await makeWorld()).open()
      const before = await askedRun(store, 3)
      const [first, second] = await leaseAll(store, before)
      await answer(store, first!, 'yes')
      await store.requests.commitFailure(second!, refusal)
      const run = await testRun(store, ['t'], { repeat: 2 })
      await expectSameCounts(store, run)
      await store.docs.commit(run, 0, questions(3), true)
      await expectSameCounts(store, run)
      expect(await store.runs.progress(run)).toMatchObject({ items: 3, answered: 1, failed: 1 })
    })

    test('removed rows are no longer counted', async () => {
      const store = await (await makeWorld()).open()
      const broken = { class: 'media', message: 'truncated PNG', attempts: 0 } as const
      const unmade = { ...questions(1)[0]!, requests: [{ choice: 0, sample: 0, failure: broken }] }
      const run = await askedRun(store, [unmade])
      await expectSameCounts(store, run)
      await store.docs.recommit(run, 0, questions(1))
      await expectSameCounts(store, run)
      expect(await store.runs.progress(run)).toMatchObject({ items: 1, failed: 0 })
    })

    test('a run is active while a living process reads its docs or sends its requests', async () => {
      const world = await makeWorld()
      const [reader, writer] = [await world.open('reader'), await world.open('writer')]
      const run = await askedRun(writer, 1)
      expect((await reader.runs.progress(run)).isWorkedOn).toBe(false)
      await leaseAll(writer, run)
      expect((await reader.runs.progress(run)).isWorkedOn).toBe(true)
      expect((await writer.runs.progress(run)).isWorkedOn).toBe(true)
      expect((await reader.runs.workedOn()).map(({ id }) => id)).toEqual([run.id])
      await world.kill('writer')
      expect((await reader.runs.progress(run)).isWorkedOn).toBe(false)
      expect(await reader.runs.workedOn()).toEqual([])
    })
  })
}
