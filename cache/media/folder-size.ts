import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Counts the media of a folder. They are in subfolders named by two digits. Other files do not count. */
export async function folderSize(folder: string): Promise<{ readonly files: number; readonly bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const media = entries.filter(entry => entry.isFile() && entry.parentPath !== folder)
  const sizes = await Promise.all(media.map(entry => stat(join(entry.parentPath, entry.name))))
  return { files: sizes.length, bytes: sizes.reduce((sum, { size }) => sum + size, 0) }
}
