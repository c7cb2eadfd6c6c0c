import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { systemCode } from '../../../base/errors/errors.js'
import { digestBytes, digestOfBytes, type FileDigest, type MediaDigest } from '../../digest.js'
import { digestOfFile } from '../../file-pieces.js'
import type { HashedContent } from '../../media/media-work.js'
import type { Context } from '../connection/context.js'
import { isFileSound } from '../rows.js'
import { DamagedRowError } from '../../rows/sums.js'

/** A file that was changed this recently may change again within the same tick of the file system's clock. */
const settledAfterMs = 2_000

/**
 * Returns the digest of a file. It is computed once and remembered while path, size and modification time stay the
 * same.
 *
 * @param content the file's content, if it was just read. It is used unless the file has changed since.
 */
export async function fileDigest(context: Context, path: string, content?: HashedContent): Promise<FileDigest> {
  const absolute = resolve(path)
  const stats = await statExactly(absolute)
  const known = findFileDigest(context, absolute, stats)
  if (known !== undefined) return known
  const { size, mtimeNs, mtimeMs } = stats
  const isSame = content?.bytes.length === size && String(content.modified) === mtimeNs
  const digest = await (isSame ? content.digest() : digestOfFile(absolute))
  if (context.owners.registered !== undefined && mtimeMs + settledAfterMs < context.now()) {
    const kept = context.commit.add(
      () =>
        context
          .sql('INSERT OR REPLACE INTO file_memo (path, size, modified, digest) VALUES (?, ?, ?, ?)')
          .run(absolute, size, mtimeNs, digestBytes(digest)),
      'whenever',
    )
    // The write is not awaited, so that many files do not wait for the disk. A digest that is lost is computed again.
    if (isSame) kept.catch(() => undefined)
    else await kept
  }
  return digest
}

/** Returns the remembered digest of a file that has not changed. */
export async function knownFileDigest(context: Context, path: string): Promise<FileDigest | undefined> {
  const absolute = resolve(path)
  return findFileDigest(context, absolute, await statExactly(absolute))
}

function findFileDigest(
  context: Context,
  absolute: string,
  { size, mtimeNs }: { readonly size: number; readonly mtimeNs: string },
): FileDigest | undefined {
  const row = context
    .sql<{ digest: Buffer }>('SELECT digest FROM file_memo WHERE path = ? AND size = ? AND modified = ?')
    .get(absolute, size, mtimeNs)
  return row && digestOfBytes(row.digest)
}

/** Lists files that media of a run were read from and that have changed since. */
export async function changedFiles(
  context: Context,
  run: number,
): Promise<readonly { readonly path: string; readonly digest: MediaDigest | undefined }[]> {
  const files = context
    .sql<{ path: string; digest: Buffer; sound: number }>(
      `SELECT path, digest, ${isFileSound('f')} AS sound FROM run_file f WHERE run = ? ORDER BY path`,
    )
    .all(run)
  const changed = []
  for (const { path, digest, sound } of files) {
    if (sound === 0) throw new DamagedRowError('run_file', path)
    const now = await fileDigest(context, path).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined
      throw error
    })
    if (now !== digestOfBytes(digest)) changed.push({ path, digest: now as MediaDigest | undefined })
  }
  return changed
}

async function statExactly(path: string): Promise<{ size: number; mtimeNs: string; mtimeMs: number }> {
  const stats = await stat(path, { bigint: true })
  return { size: Number(stats.size), mtimeNs: String(stats.mtimeNs), mtimeMs: Number(stats.mtimeMs) }
}
