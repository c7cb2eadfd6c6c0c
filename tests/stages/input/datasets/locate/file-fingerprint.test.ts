import { copyFile, open, truncate, utimes, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { fileFingerprint, sampleBytes } from '../../../../../stages/input/datasets/locate/file-identities.js'
import { temporaryFolder } from '../../temp-folder.js'

const folder = temporaryFolder()
const samples = 5
const size = 100 * sampleBytes

async function fileOf(name: string, edit?: { readonly at: number }): Promise<string> {
  const path = await folder.write(name, Buffer.alloc(size, 'data '))
  if (edit !== undefined) {
    const file = await open(path, 'r+')
    await file.write('other', edit.at)
    await file.close()
  }
  await utimes(path, 1_700_000_000, 1_700_000_000)
  return path
}

test('a copy with the same times has the same fingerprint in any folder', async () => {
  const one = await fileOf('one')
  const print = await fileFingerprint(one, samples)
  expect(print).toMatch(/^fingerprint:[0-9a-f]{64}$/)
  await copyFile(one, folder.path('two'))
  await utimes(folder.path('two'), 1_700_000_000, 1_700_000_000)
  expect(await fileFingerprint(folder.path('two'), samples)).toBe(print)
})

test.each([
  ['its beginning', 0],
  ['its middle', size / 2],
  ['its end', size - 5],
])('other bytes at %s change the fingerprint, even if the times are equal', async (_, at) => {
  const plain = await fileFingerprint(await fileOf('plain'), samples)
  expect(await fileFingerprint(await fileOf('edited', { at }), samples)).not.toBe(plain)
})

test('a change of time or size changes the fingerprint, wherever bytes have changed', async () => {
  const path = await fileOf('file')
  const before = await fileFingerprint(path, samples)
  await utimes(path, 1_700_000_000, 1_700_000_001)
  const touched = await fileFingerprint(path, samples)
  await truncate(path, size + 1)
  await utimes(path, 1_700_000_000, 1_700_000_000)
  expect(new Set([before, touched, await fileFingerprint(path, samples)]).size).toBe(3)
})

/** Computed with Python's hashlib from {"modified":"1700000000000000000","sampleBytes":16384,"samples":2,"size":"3","v":1}abcabc. */
test('the algorithm of fingerprints is pinned', async () => {
  await writeFile(folder.path('short'), 'abc')
  await utimes(folder.path('short'), 1_700_000_000, 1_700_000_000)
  expect(await fileFingerprint(folder.path('short'), 2)).toBe(
    'fingerprint:267a51e901614bd59283a1e8ded1e6fc4ca352f9a22cc4e8b8e286ca8a715738',
  )
})
