import { statSync } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { systemCode } from '../errors/errors.js'

/** Tells whether a path is a file that can be reached. Symbolic links are followed. */
export const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    stats => stats.isFile(),
    () => false,
  )

/** Tells whether a path is a folder that can be reached. Symbolic links are followed. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    stats => stats.isDirectory(),
    () => false,
  )

/** Tells whether a path can be reached, be it a file or a folder. */
export const isReachable = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/**
 * Reads whether a path is a folder, something else (`file`), or does not exist.
 *
 * @throws the system's error for a path that exists or may exist and cannot be read, such as one without permission
 */
export async function readPathKind(path: string): Promise<'file' | 'folder' | 'none'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file'
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return 'none'
    throw error
  }
}

/** Lists the names in a folder, sorted. The list is empty if the folder does not exist. @throws the system's error for a folder that cannot be read */
export async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort()
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return []
    throw error
  }
}

/** The synchronous form of {@link isFile}. It throws for a path that cannot be reached, such as one without permission. */
export const isFileSync = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** The synchronous form of {@link isFolder}. It throws for a path that cannot be reached. */
export const isFolderSync = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
