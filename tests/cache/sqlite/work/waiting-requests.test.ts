import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Run } from '../../../../cache/records.js'
import type { DraftDoc, Store } from '../../../../cache/store.js'
import { question, temporaryStore, testRun } from '../../../support/store.js'

const picture = Buffer.from('a picture')

/** A doc that shows the picture. */
async function shown(store: Store, index: number): Promise<DraftDoc> {
  const { digest } = await store.media.addBytes(picture)
  const { requests, ...doc } = question(index)
  const content = [
    { type: 'image', media: digest },
    { type: 'text', text: `${index}` },
  ] as const
  const input = { type: 'generate_until', messages: [{ role: 'user', content }] } as const
  return { ...doc, requests: requests.map(request => ({ ...request, input })) }
}

const leased = async (store: Store, run: Run, after = 0) => {
  const found = await store.requests.lease(run, { after, limit: 10, retryFailed: false })
  return { docs: found.leases.map(({ item }) => item.doc), next: found.next, exhausted: found.exhausted }
}

test('a request whose medium is missing waits until the input stage reads the doc again', async () => {
  const store = await temporaryStore()
  const run = await testRun(store)
  const [first, third] = [question(0), question(2)]
  await store.docs.commit(run, 0, [first, await shown(store, 1), third], true)
  const { digest } = await store.media.addBytes(picture)
  await rm(store.media.locate(digest))
  await store.upkeep.verify({ repair: true })

  const early = await leased(store, run)
  expect(early).toMatchObject({ docs: ['0'], exhausted: true })
  expect((await leased(store, run, early.next)).docs).toEqual([])

  await store.docs.commit(run, 0, [await shown(store, 1)], false)
  const later = await leased(store, run, early.next)
  expect(later.docs).toEqual(['1'])
  await store.docs.commit(run, 0, [third], true)
  expect((await leased(store, run, later.next)).docs).toEqual(['2'])
})
