import { open } from 'node:fs/promises'
import { canonicalJson } from '../../../../base/values/canonical-json.js'
import { type FileIdentity, type Fingerprint, streamingSha256 } from '../../../../cache/digest.js'
import { digestOfFile } from '../../../../cache/file-pieces.js'
import type { FileStore } from '../../../../cache/store.js'
import { expectDataFile } from '../data-file.js'

/** File digests that a store knows. */
export type FileDigests = Pick<FileStore, 'digest' | 'knownDigest'>

/** Files of a task up to this total are hashed completely, in about half a second. In bytes. */
const wholeUpTo = 512 * 2 ** 20
/** Maximum samples of one file, and of all files together: ten thousand files get two each. */
const mostSamples = 64
const samplesInAll = 1024
/** Files that are read at once. */
const concurrency = 16

/**
 * Returns the identities of a dataset's files, which are their digests. If the files are too large to be hashed before the first request, files
 * without a stored digest get a fingerprint instead.
 *
 * @returns in the order of `paths`.
 */
export async function fileIdentities(paths: readonly string[], digests: FileDigests): Promise<readonly FileIdentity[]> {
  const sizes = await each(paths, async path => (await expectDataFile(path)).size)
  if (sizes.reduce((sum, size) => sum + size, 0) <= wholeUpTo) return each(paths, path => digests.digest(path))
  const samples = samplesEach(paths.length)
  return each(paths, async (path, index) => {
    if ((sizes[index] ?? 0) <= samples * sampleBytes) return digests.digest(path)
    return (await digests.knownDigest(path)) ?? fileFingerprint(path, samples)
  })
}

const samplesEach = (files: number): number => Math.min(mostSamples, Math.max(2, Math.floor(samplesInAll / files)))

/**
 * Returns a file's present identity, computed as before: by a digest or by a fingerprint.
 *
 * @param before the earlier identity, as one of `files` files
 */
export const identityAsBefore = (
  path: string,
  { before, files }: { readonly before: FileIdentity; readonly files: number },
): Promise<FileIdentity> =>
  before.startsWith('fingerprint:') ? fileFingerprint(path, samplesEach(files)) : digestOfFile(path)

/** Runs `work` for all paths with bounded concurrency, since there may be more files than may be open. */
async function each<T>(paths: readonly string[], work: (path: string, index: number) => Promise<T>): Promise<T[]> {
  const done: T[] = []
  for (let from = 0; from < paths.length; from += concurrency) {
    const group = paths.slice(from, from + concurrency)
    done.push(...(await Promise.all(group.map((path, at) => work(path, from + at)))))
  }
  return done
}

/** Bytes of one sample. */
export const sampleBytes = 16 * 2 ** 10

/**
 * Identifies a large file without reading it completely: SHA-256 over its size, its modification time in nanoseconds,
 * and samples of its bytes, evenly spaced from beginning to end.
 *
 * @param samples at least two: the first is the file's beginning, the last its end.
 */
export async function fileFingerprint(path: string, samples: number): Promise<Fingerprint> {
  const file = await open(path)
  try {
    const { size, mtimeNs } = await file.stat({ bigint: true })
    const hash = streamingSha256()
    hash.update(
      Buffer.from(canonicalJson({ v: 1, size: String(size), modified: String(mtimeNs), samples, sampleBytes })),
    )
    const last = Math.max(0, Number(size) - sampleBytes)
    const buffer = Buffer.alloc(sampleBytes)
    for (let index = 0; index < samples; index++) {
      const position = Math.round((last * index) / (samples - 1))
      const { bytesRead } = await file.read(buffer, { position })
      hash.update(buffer.subarray(0, bytesRead))
    }
    return hash.digest().replace('sha256:', 'fingerprint:') as Fingerprint
  } finally {
    await file.close()
  }
}
