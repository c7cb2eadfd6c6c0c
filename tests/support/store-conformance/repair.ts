import { describe, expect, test } from 'vitest'
import { sha256, type MediaDigest } from '../../../cache/digest.js'
import type { DraftDoc, Store } from '../../../cache/store.js'
import { answer, question, testRun } from '../store.js'
import { leaseAll } from './scene.js'
import type { StoreWorld } from './world.js'

const picture = (index: number): Buffer => Buffer.from(`picture ${index}`)
const digestOf = (index: number): MediaDigest => sha256<'media'>(picture(index))

/** Makes a doc that shows a picture. */
const shown = (index: number, medium = index): DraftDoc => ({
  ...question(index),
  requests: [
    {
      choice: 0,
      sample: 0,
      input: {
        type: 'generate_until',
        messages: [
          {
            role: 'user',
            content: [{ type: 'text', text: `doc ${index}` }, { type: 'image', media: digestOf(medium) } as never],
          },
        ],
      },
      generation: { max_new_tokens: 8 },
    },
  ],
})

/** What a repair does about media, for stores that hold rows in a database. */
export function describeRepair(makeWorld: () => Promise<StoreWorld>): void {
  describe('a repair', () => {
    const missing = { class: 'media', message: 'damaged', attempts: 1 } as const

    async function scene(docs: readonly DraftDoc[]) {
      const store = await (await makeWorld()).open()
      const run = await testRun(store)
      for (const index of [0, 1, 2, 3]) await store.media.addBytes(picture(index))
      await store.docs.commit(run, 0, docs, true)
      return { store, run, leases: await leaseAll(store, run) }
    }
    const progressOf = (store: Store, run: Awaited<ReturnType<typeof testRun>>) => store.docs.progress(run, 0)

    test('makes the docs of a missing medium be read again, and forgets their failures', async () => {
      const { store, run, leases } = await scene([shown(0), shown(1), shown(2), shown(3)])
      await answer(store, leases[0]!, 'yes')
      await store.requests.commitFailure(leases[2]!, missing)
      await store.media.remove([digestOf(2)])
      expect((await store.upkeep.verify({ repair: false })).damaged).toEqual([
        { kind: 'missing medium', name: digestOf(2) },
      ])
      expect(await progressOf(store, run)).toMatchObject({ docs: 4, finished: true })
      await store.upkeep.verify({ repair: true })
      expect(await progressOf(store, run)).toMatchObject({ docs: 2, finished: false })
      expect(await store.requests.failures(run)).toEqual([])
      // The input stage reads the doc and its medium again.
      await store.media.addBytes(picture(2))
      await store.docs.commit(run, 0, [shown(2), shown(3)], true)
      expect((await store.upkeep.verify({ repair: false })).damaged).toEqual([])
      expect(await store.runs.counts(run)).toMatchObject({ answered: 1, pending: 3, failed: {} })
    })

    test('leaves other failures, other docs, and runs whose answers are all there', async () => {
      const { store, run, leases } = await scene([shown(0), shown(1)])
      await answer(store, leases[0]!, 'yes')
      await store.requests.commitFailure(leases[1]!, { class: 'refused', message: 'no', attempts: 1 })
      await store.media.remove([digestOf(0)])
      await store.upkeep.verify({ repair: true })
      expect(await progressOf(store, run)).toMatchObject({ docs: 2, finished: true })
      expect(await store.requests.failures(run)).toHaveLength(1)
    })

    test('reads again from the first doc of several that show the medium, in each run', async () => {
      const { store, run } = await scene([shown(0), shown(1, 3), shown(2), shown(3, 3)])
      const other = await testRun(store, ['t', 'u'])
      await store.docs.commit(other, 1, [shown(0), shown(1), shown(2, 3)], true)
      await store.media.remove([digestOf(3)])
      await store.upkeep.verify({ repair: true })
      expect(await progressOf(store, run)).toMatchObject({ docs: 1, finished: false })
      expect(await store.docs.progress(other, 1)).toMatchObject({ docs: 2, finished: false })
      expect((await store.upkeep.verify({ repair: false })).damaged).toEqual([
        { kind: 'missing medium', name: digestOf(3) },
      ])
    })
  })
}
