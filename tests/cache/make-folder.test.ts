import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { makeFolder } from '../../cache/make-folder.js'
import { temporaryFolder } from '../support/store.js'

test('creates a folder with its parents, and accepts an existing folder', async () => {
  const folder = join(await temporaryFolder(), 'a/b/c')
  makeFolder(folder)
  makeFolder(folder)
  expect(existsSync(folder)).toBe(true)
})

test('two processes can create the same folders at the same time', async () => {
  const place = await temporaryFolder()
  const folders = Array.from({ length: 200 }, (_, index) => join(place, String(index), 'a/b/c/d/e'))
  const meeting = new SharedArrayBuffer(4)
  const both = [1, 2].map(
    () => new Worker(new URL('../support/make-folders.mjs', import.meta.url), { workerData: { folders, meeting } }),
  )
  const refused = await Promise.all(both.map(worker => once(worker, 'message')))
  expect(refused).toEqual([[[]], [[]]])
  await Promise.all(both.map(worker => worker.terminate()))
})

test('rejects a file at the path or above it', async () => {
  const file = join(await temporaryFolder(), 'file')
  await writeFile(file, '')
  expect(() => makeFolder(file)).toThrow('EEXIST')
  expect(() => makeFolder(join(file, 'below'))).toThrow('ENOTDIR')
})

test.skipIf(!existsSync('/proc/1'))('reports a folder in which nothing can be created (needs /proc)', () => {
  expect(() => makeFolder('/proc/1/nothing/below')).toThrow('ENOENT')
})
