import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../../../../cache/digest.js'
import type { ArchiveGroup } from './archive-groups.js'
import { unpackInto, type Unpacking } from './unpacked-folder.js'

/** Pieces of an archive that are here. */
export interface LocalArchive extends Pick<ArchiveGroup, 'name' | 'kind'> {
  readonly files: readonly string[]
  /** Called before it is unpacked; not where it is already. */
  readonly onBegin: () => void
}

/**
 * Unpacks an archive below `cacheDir`, once for its files' paths, sizes and times.
 *
 * @returns the folder
 * @throws DatasetProblem where it is damaged, or holds what leads out of its folder.
 */
export async function unpack(archive: LocalArchive, cacheDir: string): Promise<string> {
  const stats = await Promise.all(archive.files.map(async file => ({ file, found: await stat(file) })))
  const identity = stats.map(({ file, found }) => `${file}\0${found.size}\0${found.mtimeMs}`).join('\n')
  const folder = join(cacheDir, 'unpacked', sha256(identity).slice('sha256:'.length, 'sha256:'.length + 24))
  const bytes = stats.reduce((sum, { found }) => sum + found.size, 0)
  await unpackInto(folder, { name: archive.name, bytes }, unpacking => {
    archive.onBegin()
    return read(archive, unpacking)
  })
  return folder
}

async function read({ name, kind, files }: Omit<LocalArchive, 'onBegin'>, unpacking: Unpacking): Promise<void> {
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
