import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256, type MediaDigest } from '../../../cache/digest.js'
import { question, temporaryFolder, testRun } from '../store.js'
import { describeMedia, oldFile } from './media.js'
import type { StoreWorld } from './world.js'
import { allOf, answerAll, askedRun } from './scene.js'

type MakeWorld = () => Promise<StoreWorld>

export function describeUpkeep(makeWorld: MakeWorld): void {
  describe('values', () => {
    test('every process reads the last value that was set, until it is deleted', async () => {
      const world = await makeWorld()
      const [first, second] = [await world.open('first'), await world.open('second')]
      expect(await first.values.get('pace')).toBeUndefined()
      await first.values.set('pace', { rpm: 60, of: ['a', null] })
      expect(await second.values.get('pace')).toEqual({ rpm: 60, of: ['a', null] })
      await second.values.set('pace', 7)
      expect(await first.values.get('pace')).toBe(7)
      await first.values.set('pace', undefined)
      expect(await second.values.get('pace')).toBeUndefined()
    })
  })

  describe('files', () => {
    test('the digest of a file changes with its content', async () => {
      const store = await (await makeWorld()).open()
      const path = await oldFile('old')
      expect(await store.files.knownDigest(path)).toBeUndefined()
      expect(await store.files.digest(path)).toBe(sha256('old'))
      expect(await store.files.knownDigest(path)).toBe(sha256('old'))
      await writeFile(path, 'longer')
      expect(await store.files.knownDigest(path)).toBeUndefined()
      expect(await store.files.digest(path)).toBe(sha256('longer'))
    })

    test('names changed files from which media of a run were read', async () => {
      const store = await (await makeWorld()).open()
      const path = await oldFile('old')
      const gone = join(await temporaryFolder(), 'gone.txt')
      const run = await testRun(store)
      const digest = sha256<'media'>('old')
      await store.docs.commit(run, 0, [{ ...question(0), files: [{ path, digest }] }], true)
      expect(await store.files.changed(run)).toEqual([])
      await store.docs.commit(run, 0, [{ ...question(1), files: [{ path: gone, digest }] }], true)
      await writeFile(path, 'edited')
      expect(await store.files.changed(run)).toEqual(
        [
          { path, digest: sha256<'media'>('edited') as MediaDigest | undefined },
          { path: gone, digest: undefined },
        ].sort((a, b) => (a.path < b.path ? -1 : 1)),
      )
    })

    test('an error names a missing file', async () => {
      const store = await (await makeWorld()).open()
      const path = join(await temporaryFolder(), 'gone.txt')
      await expect(store.files.digest(path)).rejects.toMatchObject({ code: 'ENOENT' })
    })
  })

  describeMedia(async () => (await (await makeWorld()).open()).media)

  describe('upkeep', () => {
    test('statistics count what is stored, and an intact store has no damage', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 3)
      await answerAll(store, run)
      await store.media.addBytes(Buffer.from('a picture'))
      expect(await store.upkeep.stats()).toMatchObject({
        ...{ runs: 1, requests: 3, responses: 3, scores: 0, failures: 0, media: { files: 1, bytes: 9 } },
      })
      for (const repair of [false, true]) {
        const report = await store.upkeep.verify({ repair })
        expect(report).toMatchObject({ damaged: [], repaired: repair })
        expect(report.checked).toMatchObject({ request: 3, response: 3, media: 1 })
      }
    })

    test('a closed store says so for any call', async () => {
      const store = await (await makeWorld()).open()
      const run = await askedRun(store, 1)
      await store.close()
      const closed = /the store is closed/
      await expect(store.runs.list()).rejects.toThrow(closed)
      await expect(store.runs.counts(run)).rejects.toThrow(closed)
      await expect(store.docs.progress(run, 0)).rejects.toThrow(closed)
      await expect(store.requests.failures(run)).rejects.toThrow(closed)
      await expect(store.values.get('x')).rejects.toThrow(closed)
      await expect(allOf(store.judgements.samples(run))).rejects.toThrow(closed)
    })
  })
}
