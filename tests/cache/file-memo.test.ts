import { stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../cache/digest.js'
import { openStore } from '../../cache/open.js'
import { temporaryFolder, temporaryStore } from '../support/store.js'

test('remembers the digest of a file until the file changes', async () => {
  const store = await temporaryStore()
  const path = join(await temporaryFolder(), 'data')
  await writeFile(path, 'one')
  // An old modification time allows the digest to be cached.
  await utimes(path, 1_700_000_000, 1_700_000_000)
  expect(await store.files.knownDigest(path)).toBeUndefined()
  await store.files.digest(path)
  expect(await store.files.knownDigest(path)).toBe(sha256('one'))
  await writeFile(path, 'two')
  expect(await store.files.knownDigest(path)).toBeUndefined()
})

test('remembers a digest of bytes just read, unless the file changed meanwhile', async () => {
  const store = await temporaryStore()
  const path = join(await temporaryFolder(), 'picture')
  await writeFile(path, 'one')
  await utimes(path, 1_700_000_000, 1_700_000_000)
  const { mtimeNs: modified } = await stat(path, { bigint: true })
  const seen = Buffer.from('two')
  // These bytes differ from the file's, so that the digest shows which were used.
  expect((await store.media.addFile(path, { bytes: seen, modified })).digest).toBe(sha256('two'))
  const changed = { bytes: seen, modified: modified - 1n }
  const other = await temporaryStore()
  await expect(other.media.addFile(path, changed)).rejects.toThrow('changed while it was read')
  expect(await other.files.digest(path)).toBe(sha256('one'))
})

test.each([
  [2_000, undefined],
  [2_001, sha256('one')],
])('remembers the digest of a file written %d ms ago: %s', async (age, known) => {
  const writtenAt = 1_700_000_000_000
  const store = await openStore(await temporaryFolder(), { now: () => writtenAt + age })
  onTestFinished(() => store.close())
  const path = join(await temporaryFolder(), 'data')
  await writeFile(path, 'one')
  await utimes(path, writtenAt / 1_000, writtenAt / 1_000)
  expect(await store.files.digest(path)).toBe(sha256('one'))
  expect(await store.files.knownDigest(path)).toBe(known)
})
