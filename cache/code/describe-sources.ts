import { execFileSync } from 'node:child_process'
import { createHash, hash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** Describes the sources that a program was built from. */
export interface BuildInfo {
  /** The package's version. */
  readonly version: string
  /** The git commit, if git is available. */
  readonly commit?: string
  /** True if the tree had uncommitted changes. */
  readonly dirty?: boolean
  /** Git object ids of the sources. Paths are relative to the project and use `/`. */
  readonly files: Readonly<Record<string, string>>
}

const folders = ['base', 'cache', 'stages', 'src', 'tasks']

/** Reads the sources below `root`. The same files give the same ids in a shallow clone, after a rebase and without git. */
export function describeSources(root: string): BuildInfo {
  return { version: packageVersion(root), ...describeCommit(root), files: sourceFiles(root) }
}

/** Computes the id that git gives a file with this content. */
export function gitBlobId(content: Uint8Array): string {
  return hash('sha1', Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]), 'hex')
}

/** Computes the id that git gives a file, which is read in pieces. */
export function gitFileId(path: string): string {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const digest = createHash('sha1').update(`blob ${size}\0`)
    const piece = Buffer.allocUnsafe(Math.min(size, 2 ** 20))
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece))
      digest.update(piece.subarray(0, read))
    return digest.digest('hex')
  } finally {
    closeSync(file)
  }
}

function packageVersion(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return version
}

function describeCommit(root: string): { commit?: string; dirty?: boolean } {
  if (!existsSync(join(root, '.git'))) return {}
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    return { commit: git('rev-parse', 'HEAD'), dirty: git('status', '--porcelain', '--untracked-files=no') !== '' }
  } catch {
    return {} // Without git, a commit or our own checkout, only the files' ids identify the sources.
  }
}

function sourceFiles(root: string): Record<string, string> {
  const paths = folders.filter(folder => existsSync(join(root, folder))).flatMap(folder => pathsBelow(root, folder))
  return Object.fromEntries(paths.sort().map(path => [path, gitBlobId(readFileSync(join(root, path)))]))
}

function pathsBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return pathsBelow(root, path)
    return isSource(path) ? [path] : []
  })
}

const isSource = (path: string): boolean =>
  (path.endsWith('.ts') && !path.endsWith('.d.ts')) ||
  (path.startsWith('tasks/') && /\.ya?ml$/.test(path)) ||
  (path.startsWith('src/python/') && path.endsWith('.py'))
