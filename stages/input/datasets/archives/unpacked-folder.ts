import { isFolder } from '../../../../base/files/path-kinds.js'
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { link, lstat, rename, rm } from 'node:fs/promises'
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

/** An archive may hold at most this many times its own size, or `leastLimit`. Larger ones are archive bombs. */
const mostExpansion = 200
const leastLimit = 2 ** 30
const mostFiles = 5_000_000

/**
 * Fills a folder with the content of an archive. The folder is complete, or does not exist. Where another process was
 * faster, its folder is kept.
 *
 * @param archiveBytes the size of the archive
 */
export async function unpackInto(
  folder: string,
  archive: { readonly name: string; readonly bytes: number },
  fill: (unpacking: Unpacking) => Promise<void>,
): Promise<void> {
  if (await isFolder(folder)) return
  const temporary = `${folder}.${randomUUID()}.tmp`
  makeFolder(temporary)
  try {
    const links: { name: string; target: string }[] = []
    await fill(unpackingTo(temporary, archive, links))
    for (const { name, target } of links) await linkInside(temporary, { name, target, archive: archive.name })
    await rename(temporary, folder)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    if (/^(ENOTEMPTY|EEXIST)$/.test(systemCode(error) ?? '') && (await isFolder(folder))) return
    throw explainError(error, archive.name)
  }
}

function unpackingTo(
  folder: string,
  archive: { readonly name: string; readonly bytes: number },
  links: { name: string; target: string }[],
): Unpacking {
  const limit = Math.max(leastLimit, mostExpansion * archive.bytes)
  let bytes = 0
  let files = 0
  const counting = async function* (source: Readable): AsyncGenerator<Uint8Array> {
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength
      if (bytes > limit)
        throw new DatasetProblem(
          'dataset_path',
          `${archive.name} unpacks to more than ${(limit / 1e9).toFixed(0)} GB, ${mostExpansion} times its size: it is not unpacked`,
        )
      yield chunk
    }
  }
  return {
    async file(name, source) {
      if (++files > mostFiles)
        throw new DatasetProblem(
          'dataset_path',
          `${archive.name} holds more than ${mostFiles} files: it is not unpacked`,
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
