import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../../../../cache/digest.js'
import { byCodeUnit } from '../layout/file-patterns.js'
import { type UnpackedSum, type Unpacking, unpackInto } from './unpacked-folder.js'

/** Local files of an archive, in order. */
interface LocalArchive extends Pick<ArchiveGroup, 'name' | 'kind'> {
  readonly files: readonly string[]
  /** Called before unpacking; not where it is already unpacked. */
  readonly onBegin: () => void
  /** Counts what the archives of the evaluation hold. */
  readonly sum: UnpackedSum
}

/**
 * Unpacks an archive below `cacheDir`, once for its files' paths, sizes and times.
 *
 * @returns the folder
 * @throws DatasetProblem where the archive is damaged, or an entry leads out of its folder.
 */
export async function unpack(archive: LocalArchive, cacheDir: string): Promise<string> {
  const stats = await Promise.all(archive.files.map(async file => ({ file, found: await stat(file) })))
  const identity = stats.map(({ file, found }) => `${file}\0${found.size}\0${found.mtimeMs}`).join('\n')
  const folder = join(cacheDir, 'unpacked', sha256(identity).slice('sha256:'.length, 'sha256:'.length + 24))
  const bytes = stats.reduce((sum, { found }) => sum + found.size, 0)
  await unpackInto(folder, { name: archive.name, bytes, sum: archive.sum }, unpacking => {
    archive.onBegin()
    return read(archive, unpacking)
  })
  return folder
}

async function read({ name, kind, files }: Omit<LocalArchive, 'onBegin' | 'sum'>, unpacking: Unpacking): Promise<void> {
  if (kind === 'zip') {
    const { readZip } = await import('./zip.js')
    return readZip(files, name, unpacking)
  }
  const { beginsTar, readTar } = await import('./tar.js')
  const [, ...later] = files
  const areWhole = later.length > 0 && (await Promise.all(later.map(beginsTar))).every(Boolean)
  if (areWhole) for (const file of files) await readTar([file], name, unpacking)
  else await readTar(files, name, unpacking)
}

/** One archive: a file, or its pieces in order. */
export interface ArchiveGroup {
  readonly name: string
  readonly kind: 'zip' | 'tar'
  readonly paths: readonly string[]
}

/**
 * Finds the archives among paths: `.zip`, `.tar`, `.tar.gz`, `.tgz`, `.tar.zst`, and pieces of one (`x.tar.part_aa`, `x.zip.001`; `x.z01`, `x.z02`
 * and the final `x.zip`). `x_0.tar`, `x_1.tar` may be pieces or separate archives. They form one group, and the reader decides.
 */
export function archiveGroups(paths: readonly string[]): readonly ArchiveGroup[] {
  const groups = new Map<string, ArchiveGroup>()
  for (const path of [...paths].sort(byPiece)) {
    const group = parseArchiveName(path)
    if (group === undefined) continue
    const { name, kind } = group
    groups.set(name, { name, kind, paths: [...(groups.get(name)?.paths ?? []), path] })
  }
  return [...groups.values()]
}

function parseArchiveName(path: string): { readonly name: string; readonly kind: 'zip' | 'tar' } | undefined {
  const split = /^(.*)\.z\d{2,}$/i.exec(path)?.[1]
  if (split !== undefined) return { name: `${split}.zip`, kind: 'zip' }
  const match = /^(.*?)(\.zip|\.tar(?:\.gz|\.zst)?|\.tgz)((?:[._-]?(?:part)?[._-]?(?:\d+|[a-z]{2,3}))?)$/i.exec(path)
  const [, stem, ending, piece] = match ?? []
  if (stem === undefined || ending === undefined) return undefined
  if (/zip/i.test(ending)) return { name: `${stem}${ending}`, kind: 'zip' }
  return { name: `${piece === '' ? stem.replace(/_\d+$/, '') : stem}${ending}`, kind: 'tar' }
}

/** Sorts `x.part2` before `x.part10`, and `x.z01` before `x.zip`. */
const byPiece = (a: string, b: string): number => byCodeUnit(padNumbers(a), padNumbers(b)) || byCodeUnit(a, b)

const padNumbers = (path: string): string => path.replace(/\d+/g, digits => digits.padStart(12, '0'))
