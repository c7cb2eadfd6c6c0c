import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { copyStore } from '../../../cache/bundle/copy-store.js'
import { openStore, verifyStore } from '../../../cache/open.js'
import { nameObject } from '../../../cache/media/s3/object-names.js'
import type { Access } from '../../../cache/store/opening.js'
import { fakeKeys } from '../../support/fake-s3.js'
import { startCluster, withoutPostgres, type Cluster } from '../../support/postgres.js'
import { useFakeS3 } from '../../support/s3-media.js'
import { question, temporaryFolder, testRun } from '../../support/store.js'
import { allOf } from '../../support/store-conformance/scene.js'
import { describeUpkeep } from '../../support/store-conformance/upkeep.js'

describe.skipIf(withoutPostgres !== '')(`media of PostgreSQL in object storage${withoutPostgres}`, () => {
  let cluster: Cluster
  let stores = 0
  const fake = useFakeS3()
  beforeAll(async () => {
    cluster = await startCluster({ isWorkingDirectory: true })
  })
  afterAll(() => cluster.stop())

  /** The address of a new store. */
  const newAddress = (name = `s${(stores += 1)}`): string =>
    cluster.address(name).replace(/media=[^&]*/, `media=s3://evals/${name}&endpoint=${fake().url}`)
  const opened = async (location: string, access: Access = 'write') => {
    const store = await openStore(location, { access })
    onTestFinished(() => store.close().catch(() => undefined))
    return store
  }

  describeUpkeep(() => {
    const address = newAddress()
    return Promise.resolve({ open: () => opened(address), kill: () => Promise.resolve() })
  })

  test('removes unreferenced media from the bucket', async () => {
    const address = newAddress()
    const store = await opened(address)
    const { digest } = await store.media.addBytes(Buffer.from('a loose picture'))
    expect(fake().objects.has(`s${stores}/${nameObject(digest)}`)).toBe(true)
    expect(await store.upkeep.collectGarbage({ dryRun: true })).toMatchObject({ media: { files: 1, bytes: 15 } })
    expect(await store.upkeep.collectGarbage({ dryRun: false })).toMatchObject({ media: { files: 1, bytes: 15 } })
    expect([fake().objects.has(`s${stores}/${nameObject(digest)}`), await store.media.has(digest)]).toEqual([
      ...[false, false],
    ])
  })

  test('copies a store to a server and back with its media, and names damaged and missing media', async () => {
    const [folder, other, address] = [
      await opened(await temporaryFolder()),
      await opened(await temporaryFolder()),
      newAddress(),
    ]
    const server = await opened(address)
    const { digest } = await folder.media.addBytes(Buffer.from('a picture'))
    const content = [{ type: 'image' as const, media: digest }]
    const input = { type: 'generate_until' as const, messages: [{ role: 'user' as const, content }] }
    const shown = { ...question(0), requests: question(0).requests.map(one => ({ ...one, input })) }
    const run = await testRun(folder, ['pictures'])
    await folder.docs.commit(run, 0, [shown], true)
    expect(await allOf(copyStore(folder, server, { onConflict: 'refuse' }))).toMatchObject([{ media: 1, missing: [] }])
    expect(await allOf(copyStore(folder, server, { onConflict: 'refuse' }))).toMatchObject([{ media: 0, missing: [] }])
    expect(await allOf(copyStore(server, other, { onConflict: 'refuse' }))).toMatchObject([{ media: 1, missing: [] }])
    expect(Buffer.from(await other.media.read(digest)).toString()).toBe('a picture')
    expect(await server.upkeep.stats()).toMatchObject({ media: { files: 1, bytes: 9 } })

    const key = `s${stores}/${nameObject(digest)}`
    expect(fake().objects.has(key)).toBe(true)
    fake().objects.set(key, Buffer.from('a pikture'))
    expect((await verifyStore(address, { repair: true })).damaged).toEqual([{ kind: 'medium', name: digest }])
    const { damaged } = await verifyStore(address, { repair: false })
    expect(damaged).toEqual([{ kind: 'missing medium', name: digest }])
    expect(cluster.sql(`SELECT asked || provenance FROM s${stores}.run`)).not.toContain(fakeKeys.secret)
  })

  test('a prefix belongs to one store', async () => {
    const address = newAddress('own')
    const store = await opened(address)
    expect(store.location).toContain('media=s3://evals/own&endpoint=http://')
    await store.media.addBytes(Buffer.from('a picture'))
    await expect(opened(address.replace('schema=own', 'schema=other'))).rejects.toThrow('name an empty prefix')
    const id = fake().objects.get('own/store.txt')!
    fake().objects.set('own/store.txt', Buffer.from('another'))
    await expect(opened(address)).rejects.toThrow('holds the media of another store')
    fake().objects.delete('own/store.txt')
    await expect(opened(address, 'change')).rejects.toThrow('its object store.txt is missing. Check the bucket')
    fake().objects.set('own/store.txt', id)
    await opened(address, 'read')
    fake().fault = () => ({ type: 'status', status: 403, code: 'AccessDenied' })
    await expect(opened(address, 'read')).rejects.toThrow('s3:ListBucket')
  })
})
