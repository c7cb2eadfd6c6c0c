import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'

/** Tells whether a path is a file that can be reached. Symbolic links are followed. */
export const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    found => found.isFile(),
    () => false,
  )

/** Tells whether a path is a folder that can be reached. Symbolic links are followed. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    found => found.isDirectory(),
    () => false,
  )

/** The synchronous form of {@link isFile}. It throws for a path that cannot be reached, such as one without permission. */
export const isFileSync = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** The synchronous form of {@link isFolder}. It throws for a path that cannot be reached. */
export const isFolderSync = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
