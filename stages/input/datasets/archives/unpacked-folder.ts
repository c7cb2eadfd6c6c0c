import { isFolder } from '../../../../base/files/path-kinds.js'
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { link, lstat, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeFolder } from '../../../../cache/make-folder.js'
import { systemCode } from '../../../../base/errors/errors.js'
import { DatasetProblem } from '../dataset.js'
import { isLitter, safeName } from '../layout/safe-paths.js'

/** Receives the entries of one archive. */
export interface Unpacking {
  /** @throws DatasetProblem where the name leads out of the folder, or the archive holds more than it may. */
  file(name: string, bytes: Readable): Promise<void>
  /** Adds a second name for a file of the archive; made when all files exist. */
  link(name: string, target: string): void
}

/** The sum of what the archives of one evaluation have become. All of them share one limit, because many small archives fill a disk as one large does. */
export class UnpackedSum {
  /** The size of the archives themselves. */
  archiveBytes = 0
  bytes = 0
  files = 0
}

/** The archives of one evaluation may hold at most this many times their own size, or `leastLimit`. Larger ones are archive bombs. */
const mostExpansion = 200
const leastLimit = 2 ** 30
const mostFiles = 5_000_000

interface SizedArchive {
  readonly name: string
  readonly bytes: number
  readonly sum: UnpackedSum
}

/**
 * Fills a folder with the content of an archive. The folder is complete, or does not exist. Where another process was
 * faster, its folder is kept.
 *
 * @param archive.bytes the size of the archive
 * @param archive.sum counts what this archive and others hold
 */
export async function unpackInto(
  folder: string,
  archive: SizedArchive,
  fill: (unpacking: Unpacking) => Promise<void>,
): Promise<void> {
  archive.sum.archiveBytes += archive.bytes
  const sizeFile = `${folder}.bytes`
  if (await isFolder(folder)) {
    archive.sum.bytes += await readSize(sizeFile)
    return
  }
  const temporary = `${folder}.${randomUUID()}.tmp`
  makeFolder(temporary)
  try {
    const links: { name: string; target: string }[] = []
    let size = 0
    const onBytes = (bytes: number): void => void (size += bytes)
    await fill(unpackingTo(temporary, { ...archive, onBytes }, links))
    for (const { name, target } of links) await linkInside(temporary, { name, target, archive: archive.name })
    await writeFile(sizeFile, String(size))
    await rename(temporary, folder)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    if (/^(ENOTEMPTY|EEXIST)$/.test(systemCode(error) ?? '') && (await isFolder(folder))) return
    throw explainError(error, archive.name)
  }
}

/** Reads what an archive became, so that folders of earlier evaluations count, too. Older versions did not write it. */
async function readSize(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return '0'
    throw error
  })
  return Number(text) || 0
}

function unpackingTo(
  folder: string,
  archive: SizedArchive & { readonly onBytes: (bytes: number) => void },
  links: { name: string; target: string }[],
): Unpacking {
  const { sum } = archive
  const counting = async function* (source: Readable): AsyncGenerator<Uint8Array> {
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      archive.onBytes(chunk.byteLength)
      sum.bytes += chunk.byteLength
      const limit = Math.max(leastLimit, mostExpansion * sum.archiveBytes)
      if (sum.bytes > limit)
        throw new DatasetProblem(
          'dataset_path',
          `${archive.name} unpacks, with the other archives of this evaluation, to more than ${(limit / 1e9).toFixed(0)} GB, which is over ${mostExpansion} times their size: it is not unpacked. Unpack archives that you trust yourself, and name the folder`,
        )
      yield chunk
    }
  }
  return {
    async file(name, source) {
      if (++sum.files > mostFiles)
        throw new DatasetProblem(
          'dataset_path',
          `${archive.name} holds, with the other archives of this evaluation, more than ${mostFiles} files: it is not unpacked`,
        )
      if (isLitter(name)) {
        source.resume()
        return
      }
      const path = join(folder, inside(name, archive.name))
      makeFolder(dirname(path))
      await pipeline(source, counting, createWriteStream(path))
    },
    link: (name, target) => void links.push({ name, target }),
  }
}

function inside(name: string, archive: string): string {
  const safe = safeName(name)
  if (safe !== undefined) return safe
  throw new DatasetProblem(
    'dataset_path',
    `${archive} holds a file that would lie outside of its folder (${JSON.stringify(name)}): it is not unpacked`,
  )
}

async function linkInside(
  folder: string,
  { name, target, archive }: { name: string; target: string; archive: string },
): Promise<void> {
  const from = join(folder, inside(target, archive))
  const stats = await lstat(from).catch(() => undefined)
  if (stats?.isFile() !== true)
    throw new DatasetProblem(
      'dataset_path',
      `${archive} holds a link to what is no file of it (${name} → ${target}): it is not unpacked`,
    )
  const path = join(folder, inside(name, archive))
  makeFolder(dirname(path))
  await link(from, path)
}

function explainError(error: unknown, archive: string): unknown {
  const code = systemCode(error) ?? ''
  if (!/^(ENOSPC|EDQUOT|EISDIR|ENOTDIR|ENAMETOOLONG)$/.test(code)) return error
  return new DatasetProblem('dataset_path', `${archive} can't be unpacked (${code})`, { cause: error })
}
