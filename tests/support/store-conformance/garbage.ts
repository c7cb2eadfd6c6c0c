import { describe, expect, test } from 'vitest'
import { sha256, type MediaDigest } from '../../../cache/digest.js'
import { nameSentAnswer } from '../../../cache/facts/sent-answer.js'
import type { DraftDoc, Store } from '../../../cache/store.js'
import { answer, question, testRun } from '../store.js'
import { allOf, answerAll, askedRun, leaseAll, questions, textsOf } from './scene.js'
import type { StoreWorld } from './world.js'

/** A doc whose request shows a medium. */
function shownDoc(index: number, media: MediaDigest): DraftDoc {
  const content = [{ type: 'image' as const, media }]
  const input = { type: 'generate_until' as const, messages: [{ role: 'user' as const, content }] }
  return { ...question(index), requests: question(index).requests.map(one => ({ ...one, input })) }
}

const addMedium = async (store: Store, text: string): Promise<MediaDigest> =>
  (await store.media.addBytes(Buffer.from(text))).digest

/** The contract of a garbage collection. */
export function describeGarbage(makeWorld: () => Promise<StoreWorld>): void {
  describe('garbage', () => {
    test('counts, then frees what only removed runs refer to, and keeps the rest', async () => {
      const store = await (await makeWorld()).open()
      const [shared, lost, loose] = [
        await addMedium(store, 'shared'),
        await addMedium(store, 'lost!'),
        await addMedium(store, 'loose'),
      ]
      const removed = await testRun(store, ['one'])
      await store.docs.commit(removed, 0, [shownDoc(0, shared), shownDoc(1, lost), question(2)], true)
      const kept = await testRun(store, ['two'])
      await store.docs.commit(kept, 0, [shownDoc(0, shared), question(5)], true)
      await answerAll(store, removed)
      await answerAll(store, kept)
      for (const run of [removed, kept]) await store.runs.leave(run)
      const nothing = { requests: 0, responses: 0, scores: 0, records: 0, media: { files: 1, bytes: 5 }, users: [] }
      expect(await store.upkeep.collectGarbage({ dryRun: true })).toMatchObject(nothing)
      const garbage = { requests: 2, responses: 2, records: 2, media: { files: 2, bytes: 10 } }
      const query = { dryRun: true, without: [removed] }
      expect(await store.upkeep.collectGarbage(query)).toMatchObject(garbage)
      expect(await store.upkeep.stats()).toMatchObject({ runs: 2, requests: 4, responses: 4, media: { files: 3 } })

      await store.runs.remove(removed)
      expect(await store.upkeep.collectGarbage({ dryRun: false })).toMatchObject(garbage)
      expect(await store.upkeep.stats()).toMatchObject({ runs: 1, requests: 2, responses: 2, media: { files: 1 } })
      expect(await Promise.all([shared, lost, loose].map(digest => store.media.has(digest)))).toEqual([
        ...[true, false, false],
      ])
      expect(await textsOf(store, kept)).toHaveLength(2)
      expect(await store.upkeep.verify({ repair: false })).toMatchObject({ damaged: [] })
      expect(await store.upkeep.collectGarbage({ dryRun: false })).toMatchObject({ requests: 0, media: { files: 0 } })

      // What was freed can be added and asked again.
      expect((await store.media.addBytes(Buffer.from('lost!'))).isNew).toBe(true)
      const again = await testRun(store, ['one'])
      await store.docs.commit(again, 0, [shownDoc(0, shared), shownDoc(1, lost), question(2)], true)
      expect(await leaseAll(store, again)).toHaveLength(2)
    })

    test('keeps media while another process has the store open, and requests that it holds', async () => {
      const world = await makeWorld()
      const [store, other] = [await world.open('first'), await world.open('second')]
      await addMedium(store, 'loose')
      const run = await askedRun(other, 2)
      expect(await leaseAll(other, run)).toHaveLength(2)
      const found = await store.upkeep.collectGarbage({ dryRun: false })
      expect(found).toMatchObject({ requests: 0, media: { files: 0 }, users: [{ pid: expect.any(Number) as number }] })
      await world.kill('second')
      expect(await store.upkeep.collectGarbage({ dryRun: false })).toMatchObject({ media: { files: 1 }, users: [] })
      expect(await leaseAll(store, run)).toHaveLength(2)
    })

    test('a process that works on a run frees no media', async () => {
      const store = await (await makeWorld()).open()
      await addMedium(store, 'loose')
      const run = await askedRun(store, 1)
      await leaseAll(store, run)
      expect(await store.upkeep.collectGarbage({ dryRun: false })).toMatchObject({ media: { files: 0 } })
    })

    test('keeps frames as long as their video', async () => {
      const store = await (await makeWorld()).open()
      const [video, frame, unknown] = [
        await addMedium(store, 'video'),
        await addMedium(store, 'frame'),
        await addMedium(store, 'frame of an older version'),
      ]
      const name = `derived ${sha256('how')}`
      await store.values.set(name, { media: [frame], about: {}, source: video })
      await store.values.set(`derived ${sha256('older')}`, { media: [unknown], about: {} })
      const run = await askedRun(store, [shownDoc(0, video)])
      await store.runs.leave(run)
      expect(await store.upkeep.collectGarbage({ dryRun: false })).toMatchObject({ media: { files: 0 } })
      await store.runs.remove(run)
      expect(await store.upkeep.collectGarbage({ dryRun: false })).toMatchObject({ media: { files: 2 } })
      expect(await store.media.has(unknown)).toBe(true)
      expect(await store.values.get(name)).toBeUndefined()
    })

    test('forgets values that lead to an answer together with it', async () => {
      const store = await (await makeWorld()).open()
      const removed = await askedRun(store, [question(0)])
      const [lost] = await leaseAll(store, removed)
      const kept = await testRun(store, ['two'])
      await store.docs.commit(kept, 0, [question(1)], true)
      const [used] = await leaseAll(store, kept)
      if (lost === undefined || used === undefined) throw new Error('a request is missing')
      const names = ['lost', 'used', 'broken'].map(text => nameSentAnswer(sha256<'response'>(text)))
      const [ofLost = '', ofUsed = '', ofBroken = ''] = names
      await store.values.set(ofLost, { response: lost.key })
      await store.values.set(ofUsed, { response: used.key })
      await store.values.set(ofBroken, { response: 'broken' })
      for (const lease of [lost, used]) await answer(store, lease, 'x')
      for (const run of [removed, kept]) await store.runs.leave(run)
      const { rowBytes } = await store.upkeep.collectGarbage({ dryRun: true, without: [removed] })
      await store.runs.remove(removed)
      expect((await store.upkeep.collectGarbage({ dryRun: false })).rowBytes).toBe(rowBytes)
      expect(await Promise.all(names.map(name => store.values.get(name)))).toEqual([
        ...[undefined, { response: used.key }, undefined],
      ])
      expect((await store.upkeep.collectGarbage({ dryRun: true })).rowBytes).toBe(0)
    })

    test('frees many rows, and then lists the remaining media', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, questions(300))
      await store.runs.leave(run)
      await store.runs.remove(run)
      expect(await store.upkeep.collectGarbage({ dryRun: false })).toMatchObject({ requests: 300, responses: 0 })
      await addMedium(store, 'one')
      expect(await allOf(store.media.list())).toEqual([{ digest: sha256('one'), bytes: 3 }])
    })
  })
}
