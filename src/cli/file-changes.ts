/** Changes of files in folders, gathered until nothing changes for a moment. */
import { existsSync, readdirSync, statSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { Clock } from '../../base/time/clock.js'

/** Reports changed files. */
export interface FileChanges {
  /**
   * Also watches these files and folders. Folders that are watched already stay so.
   *
   * @param except folders that the evaluation writes itself, such as its store
   * @returns whether any folder is watched
   */
  follow(paths: readonly string[], except?: readonly string[]): boolean
  /** Waits for changes. @returns the changed files, or undefined after `close` */
  next(): Promise<readonly string[] | undefined>
  /** A signal that is aborted by the next change of a file with rules or code. Other files, such as logs, may be written all the time. */
  nextEdit(): AbortSignal
  close(): void
}

/** Editors write a file in several steps, and all steps are one change. */
const quietMs = 40
/** Folders below a folder are watched to this depth. */
const deepest = 2
const mostFolders = 200

/** Makes a watcher of folders. Hidden folders and `node_modules` are left out. */
export function watchFiles(clock: Clock): FileChanges {
  const watchers = new Map<string, FSWatcher>()
  const changed = new Set<string>()
  const leftOut = new Set<string>()
  const isLeftOut = (path: string): boolean =>
    [...leftOut].some(folder => path === folder || path.startsWith(folder + sep))
  const closed = new AbortController()
  let edit = new AbortController()
  let cancel = (): void => undefined
  let wake: (() => void) | undefined
  const noteChange = (folder: string, name: string | null): void => {
    if (name === null || isHidden(name) || isLeftOut(join(folder, name))) return
    changed.add(join(folder, name))
    if (isEdited(name)) edit.abort()
    schedule()
  }
  const schedule = (): void => {
    cancel()
    cancel = clock.after(quietMs, () => wake?.())
  }
  const watchFolder = (folder: string): void => {
    if (watchers.has(folder) || watchers.size >= mostFolders) return
    try {
      const watcher = watch(folder, (_, name) => {
        noteChange(folder, name)
      })
      // A folder may be removed while it is watched.
      watcher.on('error', () => watchers.delete(folder))
      watchers.set(folder, watcher)
    } catch {
      // A folder that cannot be watched changes unnoticed, which must not end the others.
    }
  }
  return {
    follow(paths, except = []) {
      for (const path of except) leftOut.add(resolve(path))
      for (const path of paths)
        for (const folder of listFolders(resolve(path))) if (!isLeftOut(folder)) watchFolder(folder)
      return watchers.size > 0
    },
    async next() {
      while (!closed.signal.aborted) {
        if (changed.size > 0) schedule()
        await new Promise<void>(done => {
          wake = done
        })
        const files = [...changed]
        changed.clear()
        if (files.length > 0) return chooseKept(files)
      }
      return undefined
    },
    nextEdit() {
      edit = new AbortController()
      if ([...changed].some(isEdited)) edit.abort()
      return edit.signal
    },
    close() {
      closed.abort()
      cancel()
      for (const watcher of watchers.values()) watcher.close()
      wake?.()
    },
  }
}

/** Editors write temporary files, which are gone by now. */
function chooseKept(files: readonly string[]): readonly string[] {
  const existingFiles = files.filter(file => existsSync(file))
  return existingFiles.length > 0 ? existingFiles : files
}

const isEdited = (name: string): boolean => /\.(?:ya?ml|[cm]?[jt]sx?|py)$/.test(name)

/** Tells whether a file is a temporary file of an editor or tool. */
const isHidden = (name: string): boolean => name.startsWith('.') || name.endsWith('~') || name === 'node_modules'

/** The folder of a file alone, or a folder with those below it. */
function listFolders(path: string, depth = 0): readonly string[] {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  if (!stats.isDirectory()) return [dirname(path)]
  if (depth > 0 && isHidden(basename(path))) return []
  if (depth === deepest) return [path]
  const inner = readdirSync(path, { withFileTypes: true }).filter(entry => entry.isDirectory())
  return [path, ...inner.flatMap(({ name }) => listFolders(join(path, name), depth + 1))]
}
