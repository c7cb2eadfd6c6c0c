import { truncate, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { sha256 } from '../../../../../cache/digest.js'
import {
  type FileDigests,
  fileFingerprint,
  fileIdentities,
} from '../../../../../stages/input/datasets/locate/file-identities.js'
import { temporaryFolder } from '../../temp-folder.js'

const folder = temporaryFolder()
const mebibyte = 2 ** 20

/** A sparse file, which takes no disk space. */
async function fileOf(name: string, size: number): Promise<string> {
  const path = folder.path(name)
  await writeFile(path, name)
  await truncate(path, size)
  return path
}

const digestOf = (path: string) => sha256<'file'>(path)

/** Digests derived from file names, some of them known before. */
function recording(known: readonly string[] = []): { readonly read: string[]; readonly digests: FileDigests } {
  const read: string[] = []
  const digests: FileDigests = {
    digest(path) {
      read.push(path)
      return Promise.resolve(digestOf(path))
    },
    knownDigest: path => Promise.resolve(known.includes(path) ? digestOf(path) : undefined),
  }
  return { read, digests }
}

test('files of at most 512 MiB in total are identified by their content', async () => {
  const paths = [await fileOf('a', 500 * mebibyte), await fileOf('b', 12 * mebibyte)]
  const { digests } = recording()
  expect(await fileIdentities(paths, digests)).toEqual(paths.map(digestOf))
})

test('larger files are identified by fingerprints, except small ones among them', async () => {
  const paths = [await fileOf('a', 300 * mebibyte), await fileOf('b', 300 * mebibyte), await fileOf('c', mebibyte)]
  const { digests, read } = recording()
  const [first, second, small] = await fileIdentities(paths, digests)
  expect([first, second]).toEqual([await fileFingerprint(paths[0]!, 64), await fileFingerprint(paths[1]!, 64)])
  expect(small).toBe(digestOf(paths[2]!))
  expect(read).toEqual([paths[2]])
})

test('a large file with a known digest is identified by it', async () => {
  const path = await fileOf('a', 600 * mebibyte)
  const { digests, read } = recording([path])
  expect(await fileIdentities([path], digests)).toEqual([digestOf(path)])
  expect(read).toEqual([])
})

test('reads fewer samples of each file the more files there are', async () => {
  const paths = await Promise.all(Array.from({ length: 600 }, (_, index) => fileOf(String(index), mebibyte)))
  const { digests, read } = recording()
  const identities = await fileIdentities(paths, digests)
  expect(read).toEqual([])
  expect(identities[0]).toBe(await fileFingerprint(paths[0]!, 2))
  expect(new Set(identities).size).toBe(600)
})
