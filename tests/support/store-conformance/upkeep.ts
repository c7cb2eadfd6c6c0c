import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256, type MediaDigest } from '../../../cache/digest.js'
import { question, temporaryFolder, testRun } from '../store.js'
import type { StoreWorld } from './world.js'
import { allOf, answerAll, askedRun } from './scene.js'

type MakeWorld = () => Promise<StoreWorld>

/** Creates a file with an old modification time. A new file may change again within the same tick of the clock. */
async function oldFile(text: string): Promise<string> {
  const path = join(await temporaryFolder(), 'file.txt')
  await writeFile(path, text)
  await utimes(path, 1_000, 1_000)
  return path
}

export function describeUpkeep(makeWorld: MakeWorld): void {
  describe('values', () => {
    test('a value is what was set last, for every process, until it is deleted', async () => {
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
    test('the digest of a file follows its content', async () => {
      const store = await (await makeWorld()).open()
      const path = await oldFile('old')
      expect(await store.files.knownDigest(path)).toBeUndefined()
      expect(await store.files.digest(path)).toBe(sha256('old'))
      expect(await store.files.knownDigest(path)).toBe(sha256('old'))
      await writeFile(path, 'longer')
      expect(await store.files.knownDigest(path)).toBeUndefined()
      expect(await store.files.digest(path)).toBe(sha256('longer'))
    })

    test('files that media of a run were read from are named once they changed', async () => {
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

    test('a file that is not there is an error that says so', async () => {
      const store = await (await makeWorld()).open()
      const path = join(await temporaryFolder(), 'gone.txt')
      await expect(store.files.digest(path)).rejects.toMatchObject({ code: 'ENOENT' })
    })
  })

  describe('media', () => {
    test('a medium is stored once, under the digest of its bytes', async () => {
      const store = await (await makeWorld()).open()
      const bytes = Buffer.from('a picture')
      const digest = sha256<'media'>(bytes)
      expect(await store.media.has(digest)).toBe(false)
      expect(await store.media.addBytes(bytes)).toEqual({ digest, bytes: bytes.length, isNew: true })
      expect(await store.media.addBytes(bytes)).toEqual({ digest, bytes: bytes.length, isNew: false })
      expect(await store.media.addFile(await oldFile('a picture'))).toEqual({
        digest,
        bytes: bytes.length,
        isNew: false,
      })
      expect(Buffer.from(await store.media.read(digest))).toEqual(bytes)
      expect(await store.media.has(digest)).toBe(true)
      const into = Buffer.alloc(100)
      const length = await store.media.encode(digest, bytes.length, into)
      expect(into.toString('latin1', 0, length)).toBe(bytes.toString('base64'))
      expect(await store.media.encode(digest, bytes.length + 1, into)).toBeUndefined()
      expect(store.media.locate(digest)).toContain(digest.slice(9))
      await using file = await store.media.openFile(digest)
      expect(await readFile(file.path)).toEqual(bytes)
    })

    test('a medium that is not there can be neither read nor encoded', async () => {
      const store = await (await makeWorld()).open()
      const digest = sha256<'media'>('nothing')
      await expect(store.media.read(digest)).rejects.toThrow(`medium ${digest} is not in the store`)
      const readFileOf = async (): Promise<Buffer> => {
        await using file = await store.media.openFile(digest)
        return await readFile(file.path)
      }
      await expect(readFileOf()).rejects.toMatchObject({ code: 'ENOENT' })
      expect(await store.media.encode(digest, 7, Buffer.alloc(100))).toBeUndefined()
    })
  })

  describe('upkeep', () => {
    test('statistics count what is stored, and nothing sound is damaged', async () => {
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

    test('a store that is closed says so, whatever it is asked', async () => {
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
