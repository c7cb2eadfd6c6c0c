import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { systemCode } from '../../../base/errors/errors.js'
import { formatClientValue, type JobPolicy, type Surroundings } from './job-policy.js'

/** The resolved path, or the reason why it is not allowed. */
export type PathCheck = { readonly path: string } | { readonly problem: string }

/**
 * Checks a path of a job. After symbolic links are resolved, the path must be inside an allowed folder. For a missing file, the nearest existing
 * folder decides. The error text is always the same, so that it does not reveal which files exist.
 *
 * @param key the name of the value in the job, for the message
 * @returns the absolute path without symbolic links. Use it instead of the original, so that the checked path is the used path.
 */
export async function allowedPath(
  key: string,
  text: string,
  { allowDirs }: Pick<JobPolicy, 'allowDirs'>,
  { cwd }: Pick<Surroundings, 'cwd'>,
): Promise<PathCheck> {
  const problem = `${key}: ${formatClientValue(text)} is not below a folder that this server allows (--allow-dir)`
  // `..` after a symbolic link means the parent of the link's target, not of the folder in the text.
  if (text === '' || text.includes('\0') || text.split(/[\\/]/).includes('..')) return { problem }
  const path = await realPath(resolve(cwd, text))
  if (path === undefined || !allowDirs.some(folder => isWithin(path, folder))) return { problem }
  return { path }
}

function isWithin(path: string, folder: string): boolean {
  const below = relative(folder, path)
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}

/** The path without symbolic links; undefined if a link leads nowhere or the system refuses to look. */
async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) return undefined
  }
  // Writing to a link that leads nowhere yet would create the file at its other end.
  if (await exists(path)) return undefined
  const folder = await realPath(dirname(path))
  return folder === undefined ? undefined : join(folder, basename(path))
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => systemCode(error) !== 'ENOENT',
  )
