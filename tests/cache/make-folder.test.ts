import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../cache/make-folder.js'
import { temporaryFolder } from '../support/store.js'

test('a folder is made with those above it, and again without a word', async () => {
  const folder = join(await temporaryFolder(), 'a/b/c')
  makeFolder(folder)
  makeFolder(folder)
  expect(existsSync(folder)).toBe(true)
})

test('a file in its place, or above it, is refused', async () => {
  const file = join(await temporaryFolder(), 'file')
  await writeFile(file, '')
  expect(() => makeFolder(file)).toThrow('EEXIST')
  expect(() => makeFolder(join(file, 'below'))).toThrow('ENOTDIR')
})

test.skipIf(!existsSync('/proc/1'))('where nothing can be made, that is told (needs /proc)', () => {
  expect(() => makeFolder('/proc/1/nothing/below')).toThrow('ENOENT')
})
