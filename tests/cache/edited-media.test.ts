import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256 } from '../../cache/digest.js'
import { question, temporaryFolder, temporaryStore, testRun } from '../support/store.js'

test('lists the source files of media that changed since the run read them', async () => {
  const store = await temporaryStore()
  const run = await testRun(store)
  const folder = await temporaryFolder()
  const files = ['a', 'b', 'c'].map(name => ({ path: join(folder, name), digest: sha256<'media'>(name) }))
  // An old modification time allows the digest to be cached.
  const write = async (path: string, text: string) => {
    await writeFile(path, text)
    await utimes(path, 1_700_000_000, 1_700_000_000)
  }
  for (const { path } of files.slice(0, 2)) await write(path, path.at(-1)!)
  await store.docs.commit(run, 0, [{ ...question(0), files }], true)
  const missing = { path: files[2]!.path, digest: undefined }
  expect(await store.files.changed(run)).toEqual([missing])
  await write(files[1]!.path, 'edited')
  expect(await store.files.changed(run)).toEqual([{ path: files[1]!.path, digest: sha256('edited') }, missing])
})
