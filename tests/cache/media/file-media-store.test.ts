import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sha256, type FileDigest } from '../../../cache/digest.js'
import { FileMediaStore } from '../../../cache/media/file-media-store.js'
import type { FileContent } from '../../../cache/store.js'
import { describeMedia } from '../../support/store-conformance/media.js'

async function openMedia() {
  const folder = await mkdtemp(join(tmpdir(), 'file-media-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const digestOf = async (path: string): Promise<FileDigest> => sha256(await readFile(path))
  const store = new FileMediaStore(join(folder, 'media'), digestOf, error => error)
  return { store, folder, file: join(folder, 'picture') }
}

const contentOf = (bytes: Uint8Array): FileContent => ({ bytes, modified: 0n })

test.each([0, 1, 2 ** 20, 3 * 2 ** 20 + 1])(
  'stores a file of %i bytes unchanged, whether or not it was read before',
  async size => {
    const { store, file } = await openMedia()
    const bytes = Buffer.alloc(size, 'picture')
    await writeFile(file, bytes)
    const taken = await store.addFile(file)
    expect(taken).toEqual({ digest: sha256(bytes), bytes: size, isNew: true })
    expect(Buffer.compare(await store.read(taken.digest), bytes)).toBe(0)
    expect(await store.addFile(file, contentOf(bytes))).toEqual({ ...taken, isNew: false })
    await rm(store.locate(taken.digest))
    const again = (await openMedia()).store
    expect(await again.addFile(file, contentOf(bytes))).toEqual(taken)
    expect(Buffer.compare(await again.read(taken.digest), bytes)).toBe(0)
  },
)

test('does not store a file that changes during the intake under its old digest', async () => {
  const { store, file, folder } = await openMedia()
  await writeFile(file, 'after')
  await expect(store.addFile(file, contentOf(Buffer.from('before')))).rejects.toThrow('changed while it was read')
  const kept = await readdir(join(folder, 'media'), { recursive: true, withFileTypes: true })
  expect(kept.filter(entry => entry.isFile())).toEqual([])
})

test('removed media leave no empty folder behind, and can be added again', async () => {
  const { store, folder } = await openMedia()
  const [one, two] = [await store.addBytes(Buffer.from('one')), await store.addBytes(Buffer.from('two'))]
  await store.remove([one.digest, one.digest])
  expect(await readdir(join(folder, 'media'))).toEqual([two.digest.slice(7, 9)])
  await store.remove([one.digest, two.digest])
  expect(await readdir(join(folder, 'media'))).toEqual([])
  expect(await store.addBytes(Buffer.from('one'))).toEqual(one)
})

describeMedia(async () => (await openMedia()).store)
