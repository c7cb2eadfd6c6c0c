import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256 } from '../../cache/digest.js'
import { temporaryFolder, temporaryStore } from '../support/store.js'

test('the digest of a file is known once it was read, until it is written to', async () => {
  const store = await temporaryStore()
  const path = join(await temporaryFolder(), 'data')
  await writeFile(path, 'one')
  // Written long ago, so that a digest may be remembered.
  await utimes(path, 1_700_000_000, 1_700_000_000)
  expect(await store.knownFileDigest(path)).toBeUndefined()
  await store.fileDigest(path)
  expect(await store.knownFileDigest(path)).toBe(sha256('one'))
  await writeFile(path, 'two')
  expect(await store.knownFileDigest(path)).toBeUndefined()
})
