import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { z } from 'zod'

/** One file of a revision, as the Hub lists it. */
export const repositoryFile = z.object({
  path: z.string(),
  size: z.number(),
  /** SHA-256 of its bytes, for large files. */
  sha256: z.string().optional(),
  /** Git object id of its bytes, for small files. */
  oid: z.string().optional(),
})
export type RepositoryFile = z.output<typeof repositoryFile>

/** Returns whether a path stays within the folder that it is joined to. */
export const staysInside = (path: string): boolean =>
  path !== '' &&
  !/[\\\0]/.test(path) &&
  !/^([a-zA-Z]:|\/)/.test(path) &&
  path.split('/').every(name => name !== '..' && name !== '' && name !== '.')

/** Returns the file name under which its bytes are kept. */
export function blobName(file: RepositoryFile): string {
  const name = file.sha256 ?? file.oid
  if (name !== undefined && /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(name)) return name
  return createHash('sha256')
    .update(`${file.path}\0${file.size}\0${name ?? ''}`)
    .digest('hex')
}

/** Explains how the file at `path` differs from the Hub's listing. Undefined if they agree. */
export async function whyNot(file: RepositoryFile, path: string): Promise<string | undefined> {
  const isSha256 = file.sha256 !== undefined && /^[0-9a-f]{64}$/.test(file.sha256)
  const expected = isSha256
    ? file.sha256
    : file.oid !== undefined && /^[0-9a-f]{40}$/.test(file.oid)
      ? file.oid
      : undefined
  const hash = createHash(isSha256 ? 'sha256' : 'sha1')
  if (!isSha256) hash.update(`blob ${file.size}\0`)
  let size = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (expected !== undefined) hash.update(chunk)
  }
  if (size !== file.size) return `${size} bytes instead of ${file.size}`
  return expected === undefined || hash.digest('hex') === expected
    ? undefined
    : 'their checksum is not the one that the Hub lists'
}

/**
 * Returns the path of an archive's entry below the folder that it is unpacked into.
 *
 * @returns undefined where it leads out of the folder
 */
export function safeName(name: string): string | undefined {
  const plain = name
    .replace(/^(?:\.\/+)+/, '')
    .replace(/\/+/g, '/')
    .replace(/\/$/, '')
    .replace(/\/(?:\.\/)+/g, '/')
  return plain !== '' && staysInside(plain) ? plain : undefined
}

/** Files that macOS adds to archives. */
export const isLitter = (name: string): boolean => /(^|\/)(__MACOSX\/|\._[^/]*$|\.DS_Store$)/.test(name)
