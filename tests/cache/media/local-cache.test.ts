import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { processOwner } from '../../../base/processes/process-identity.js'
import { sha256, type MediaDigest } from '../../../cache/digest.js'
import { LocalMediaCache } from '../../../cache/media/local-cache.js'
import type { MediumFile } from '../../../cache/store.js'
import { temporaryFolder } from '../../support/store.js'

const content = (index: number): Buffer => Buffer.alloc(100, `medium ${index} `)
const digestOf = (index: number): MediaDigest => sha256<'media'>(content(index))

const add = (cache: LocalMediaCache, index: number): Promise<MediumFile> =>
  cache.add(digestOf(index), sink => sink.write(content(index)))

async function addAndLetGo(cache: LocalMediaCache, index: number): Promise<void> {
  const file = await add(cache, index)
  await file[Symbol.asyncDispose]()
}

/** Counts the bytes of the copies. */
async function bytesIn(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const copies = files.filter(file => file.isFile() && !file.parentPath.includes('held'))
  const sizes = await Promise.all(copies.map(async file => (await stat(join(file.parentPath, file.name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function isCached(cache: LocalMediaCache, index: number): Promise<boolean> {
  const file = await cache.open(digestOf(index))
  await file?.[Symbol.asyncDispose]()
  return file !== undefined
}

test('removes the least recently used copies first and keeps to the limit', async () => {
  const folder = await temporaryFolder()
  const cache = new LocalMediaCache(folder, 1_000)
  for (let index = 0; index < 10; index++) {
    await addAndLetGo(cache, index)
    const path = join(folder, digestOf(index).slice(7, 9), digestOf(index).slice(9))
    await utimes(path, 1_000 + index, 1_000 + index)
  }
  expect(await bytesIn(folder)).toBe(1_000)
  // The oldest copy is used again.
  expect(await isCached(cache, 0)).toBe(true)
  await addAndLetGo(cache, 10)
  expect(await bytesIn(folder)).toBeLessThanOrEqual(1_000)
  expect(await Promise.all([0, 1, 2, 9, 10].map(index => isCached(cache, index)))).toEqual([
    ...[true, false, false, true, true],
  ])
})

test('a file in use stays readable when its copy is removed', async () => {
  const cache = new LocalMediaCache(await temporaryFolder(), 150)
  const held = await add(cache, 0)
  for (const index of [1, 2, 3]) await addAndLetGo(cache, index)
  expect(await isCached(cache, 0)).toBe(false)
  expect(await readFile(held.path)).toEqual(content(0))
  await held[Symbol.asyncDispose]()
  await expect(readFile(held.path)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('caches of several processes share a folder and its size limit', async () => {
  const folder = await temporaryFolder()
  const [first, second] = [new LocalMediaCache(folder, 1_600), new LocalMediaCache(folder, 1_600)]
  for (let index = 0; index < 40; index++) await addAndLetGo(index % 2 === 0 ? first : second, index)
  // Each cache checks the folder after it added a sixteenth of the limit.
  expect(await bytesIn(folder)).toBeLessThanOrEqual(1_800)
  expect(await isCached(first, 39)).toBe(true)
})

test('stores of one process keep their files in use independently', async () => {
  const folder = await temporaryFolder()
  const [first, second] = [new LocalMediaCache(folder, 1_000), new LocalMediaCache(folder, 1_000)]
  const held = await Promise.all([add(first, 0), add(second, 0), add(first, 1), add(second, 1)])
  await first.close()
  expect(await readFile(held[1].path)).toEqual(content(0))
  expect(await readFile(held[3].path)).toEqual(content(1))
  expect(await isCached(second, 1)).toBe(true)
})

test('a medium whose download fails leaves no file', async () => {
  const folder = await temporaryFolder()
  const cache = new LocalMediaCache(folder, 1_000)
  const failing = cache.add(digestOf(0), async sink => {
    await sink.write(content(1))
    throw new Error('cut')
  })
  await expect(failing).rejects.toThrow('cut')
  expect((await readdir(folder, { recursive: true, withFileTypes: true })).filter(file => file.isFile())).toEqual([])
})

test('removes files of a killed process and keeps those of a living one', async () => {
  const folder = await temporaryFolder()
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const names = [processOwner(child.pid ?? 0), { host: processOwner(1).host, pid: 999_999_999, startTime: '1' }].map(
    ({ host, pid, startTime }) => join(folder, 'held', [host, pid, startTime].join('~')),
  )
  for (const name of names) {
    await mkdir(name, { recursive: true })
    await writeFile(join(name, '1'), content(1))
  }
  await addAndLetGo(new LocalMediaCache(folder, 1_000), 0)
  expect(
    await Promise.all(
      names.map(name =>
        readdir(name).then(
          ({ length }) => length,
          () => 0,
        ),
      ),
    ),
  ).toEqual([1, 0])
  child.kill('SIGKILL')
  await once(child, 'exit')
  await addAndLetGo(new LocalMediaCache(folder, 1_000), 2)
  await expect(readdir(names[0]!)).rejects.toMatchObject({ code: 'ENOENT' })
})
