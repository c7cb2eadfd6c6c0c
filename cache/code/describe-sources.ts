import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a program was built from. */
export interface BuildInfo {
  /** Of the package. */
  readonly version: string
  /** Absent without git. */
  readonly commit?: string
  /** Whether the tree had changes that were not committed. */
  readonly dirty?: boolean
  /** Git object ids of the sources, by path relative to the project with `/`. */
  readonly files: Readonly<Record<string, string>>
}

const folders = ['base', 'cache', 'stages', 'src', 'tasks']

/** Reads the sources below `root`. The same files give the same ids in a shallow clone, after a rebase and without git. */
export function describeSources(root: string): BuildInfo {
  return { version: packageVersion(root), ...describeCommit(root), files: sourceFiles(root) }
}

/** The id that git gives a file with this content. */
export function gitBlobId(content: Uint8Array): string {
  return hash('sha1', Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]), 'hex')
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
    return {} // No git, no commit, or not our checkout: the files' ids stand for themselves.
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
  (path.endsWith('.ts') && !path.endsWith('.d.ts')) || (path.startsWith('tasks/') && /\.ya?ml$/.test(path))
