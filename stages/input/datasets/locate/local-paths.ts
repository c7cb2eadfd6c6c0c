import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { systemCode } from '../../../../base/errors.js'
import { globPaths, isPattern } from '../layout/glob.js'

/** Folders that are never part of a dataset. */
const passedOver = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

/** Deeper than data lie, so that links that go in a circle end. */
const deepest = 24

/** Paths of all files below a folder, relative to it, with `/`. */
export async function pathsBelow(folder: string, depth = 0): Promise<readonly string[]> {
  if (depth > deepest) return []
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return []
    throw error
  })
  const paths: string[] = []
  for (const entry of entries) {
    if (passedOver(entry.name)) continue
    const path = join(folder, entry.name)
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await isDirectory(path)))
    // One by one: a call takes no more arguments than some hundred thousand.
    if (isFolder) for (const name of await pathsBelow(path, depth + 1)) paths.push(`${entry.name}/${name}`)
    else paths.push(entry.name)
  }
  return paths
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    found => found.isDirectory(),
    () => false,
  )

/** The files that a path or pattern means, absolute, in the order of their names. A path is given back as it is, there or not. */
export async function localFiles(pattern: string, folder: string): Promise<readonly string[]> {
  const absolute = isAbsolute(pattern) ? pattern : join(folder, pattern)
  if (!isPattern(pattern)) return [absolute]
  const names = absolute.split(sep)
  const plain = names.slice(0, names.findIndex(isPattern)).join(sep)
  const base = plain === '' ? sep : plain
  return globPaths(relative(base, absolute).split(sep).join('/'), await pathsBelow(base)).map(path => join(base, path))
}
