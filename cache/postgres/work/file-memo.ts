import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { systemCode } from '../../../base/errors/errors.js'
import { digestOfBytes, hexDigits, type FileDigest, type MediaDigest } from '../../digest.js'
import { digestOfFile } from '../../file-pieces.js'
import type { HashedContent } from '../../media/media-work.js'
import { DamagedRowError, sumOfFile } from '../../rows/sums.js'
import type { Context } from '../connection/context.js'

/** A file that was changed this recently may change again within the same tick of the file system's clock. */
const settledAfterMs = 2_000

interface FileState {
  readonly size: number
  readonly modified: string
  readonly modifiedMs: number
}

/**
 * Returns the digest of a file. It is computed once and remembered while path, size and modification time stay the
 * same.
 *
 * @param content the file's content, if it was just read. It is used unless the file has changed since.
 */
export async function fileDigest(context: Context, path: string, content?: HashedContent): Promise<FileDigest> {
  const absolute = resolve(path)
  const state = await readState(absolute)
  const storedDigest = await findDigest(context, absolute, state)
  if (storedDigest !== undefined) return storedDigest
  const { size, modified, modifiedMs } = state
  const isSame = content?.bytes.length === size && String(content.modified) === modified
  const digest = await (isSame ? content.digest() : digestOfFile(absolute))
  // File and program are on one machine, so its clock tells whether the file is new.
  if (context.owners.registered !== undefined && modifiedMs + settledAfterMs < Date.now())
    await context.db.write(async query => {
      await query(
        `INSERT INTO file_memo (host, path, size, modified, digest) VALUES ($1, $2, $3, $4, decode($5, 'hex'))
         ON CONFLICT (host, path) DO UPDATE SET size = excluded.size, modified = excluded.modified, digest = excluded.digest`,
        [context.host, absolute, size, modified, hexDigits(digest)],
      )
    })
  return digest
}

/** Returns the remembered digest of a file that has not changed. */
export async function knownFileDigest(context: Context, path: string): Promise<FileDigest | undefined> {
  const absolute = resolve(path)
  return findDigest(context, absolute, await readState(absolute))
}

const findDigest = (
  { db, host }: Context,
  absolute: string,
  { size, modified }: FileState,
): Promise<FileDigest | undefined> =>
  db.read(async query => {
    const [row] = await query<{ digest: Buffer }>(
      'SELECT digest FROM file_memo WHERE host = $1 AND path = $2 AND size = $3 AND modified = $4',
      [host, absolute, size, modified],
    )
    return row && digestOfBytes(row.digest)
  })

/** Lists files that media of a run were read from and that have changed since. */
export async function changedFiles(
  context: Context,
  run: number,
): Promise<readonly { readonly path: string; readonly digest: MediaDigest | undefined }[]> {
  const files = await context.db.read(query =>
    query<{ path: string; digest: Buffer; sum: number }>(
      'SELECT path, digest, sum FROM run_file WHERE run = $1 ORDER BY path',
      [run],
    ),
  )
  const changed = []
  for (const { path, digest, sum } of files) {
    if (sumOfFile(context, run, path, digest.toString('hex')) !== sum) throw new DamagedRowError('run_file', path)
    const now = await fileDigest(context, path).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined
      throw error
    })
    if (now !== digestOfBytes(digest)) changed.push({ path, digest: now as MediaDigest | undefined })
  }
  return changed
}

async function readState(path: string): Promise<FileState> {
  const { size, mtimeNs, mtimeMs } = await stat(path, { bigint: true })
  return { size: Number(size), modified: String(mtimeNs), modifiedMs: Number(mtimeMs) }
}
