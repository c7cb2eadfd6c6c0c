/** Keeps written files away from stores, and from files that this program did not write. */
import { closeSync, existsSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { PipelineError } from '../base/errors/errors.js'
import { FileError } from '../base/files/files.js'
import { isFileSync } from '../base/files/path-kinds.js'
import { shownPath } from '../base/files/shown-path.js'
import { resolveWrittenFile } from '../base/files/written-file.js'
import { findWorkFolder } from './location.js'
import { markName } from './media/media-location.js'
import { manifestName } from './bundle/manifest.js'

/** An output path that a user named. */
export interface OutputPath {
  readonly path: string
  /** The option of the path for messages, such as `option('html', path)`. */
  readonly label: string
  /** The location of the store that the command works on. Other stores are recognized by their files. */
  readonly store?: string | undefined
}

/** A kind of output file. An existing file is only replaced by a file of the same kind. */
export interface OutputKind {
  /** The kind with its article, for messages. */
  readonly name: string
  /** Tells whether the first bytes of a file are those of this kind. */
  isOwn(head: Buffer): boolean
}

/** A file of `pipeline export`. */
export const bundleFile: OutputKind = {
  name: 'an exported run',
  isOwn: head => head.toString('latin1', 0, manifestName.length + 1) === `${manifestName}\0`,
}

/** A report in one file. */
export const htmlFile: OutputKind = {
  name: 'an HTML page',
  isOwn: head => /^\s*<(?:!doctype html|html)\b/i.test(head.toString('utf8')),
}

/** Rejects to replace an existing file of another kind. An empty file may be replaced. @throws PipelineError (usage) */
export function refuseForeignFile({ path, label }: OutputPath, kind: OutputKind): void {
  if (!isFileSync(path)) return
  const head = readHead(path)
  if (head.length === 0 || kind.isOwn(head)) return
  throw new PipelineError(
    'usage',
    `${label}: ${shownPath(path)} exists and is not ${kind.name}, so it is not replaced. Name another path, or remove this file first`,
  )
}

/** Number of bytes at the start of a file that tell its kind. */
const headBytes = 1_024

/**
 * Rejects an output file that is a part of a store, or that exists and is of another kind: the data, tasks, settings and keys that a command reads
 * are lost if a typing error names them as its output.
 *
 * @returns the path of the file behind symbolic links
 * @throws PipelineError (usage)
 */
export function checkOutputFile(output: OutputPath, kind: OutputKind): string {
  const { path, label } = output
  let file: string
  try {
    file = resolveWrittenFile(path)
  } catch (error) {
    if (error instanceof FileError) throw new PipelineError('usage', `${label}: ${error.message}`, { cause: error })
    throw error
  }
  refuseStorePath({ ...output, path: file })
  refuseForeignFile({ ...output, path: file }, kind)
  return file
}

/**
 * Rejects an output file or folder that is a part of a store: its database, its media, its sealed runs, and so on. Links, relative paths, other
 * spellings of a name and missing folders are resolved first.
 *
 * @throws PipelineError (usage)
 */
export function refuseStorePath({ path, label, store }: OutputPath): void {
  const target = canonicalPath(path)
  const named = store === undefined ? undefined : canonicalPath(findWorkFolder(store)).toLowerCase()
  for (let folder = dirname(target), inner = target; inner !== folder; [inner, folder] = [folder, dirname(folder)]) {
    const name = basename(inner).toLowerCase()
    const isPart =
      (folder.toLowerCase() === named || existsSync(join(folder, databaseName))) && isStoreEntry(name)
        ? true
        : (name === markName || /^[0-9a-f]{2}$/.test(name)) && isMediaFolder(folder)
    if (!isPart) continue
    const what = inner === target ? 'is' : `is in ${shownPath(inner)}, which is`
    throw new PipelineError(
      'usage',
      `${label}: ${shownPath(path)} ${what} a part of the store in ${shownPath(folder)}. Name a path outside of the store`,
    )
  }
}

/** The database of a store in a folder. */
const databaseName = 'store.sqlite'

/** The folders of a store and of its work folder. */
const storeFolders: ReadonlySet<string> = new Set([
  ...['media', 'runs', 'tracked', 'hub', 'submissions', 'logs', 'code'],
  ...['view-index', 'media-cache', 'waiting-answers'],
])

/** Tells whether a name in the folder of a store is one of the store's own, in lower case. */
const isStoreEntry = (name: string): boolean =>
  storeFolders.has(name) || /^(?:store|view-index)\.sqlite|^\.(?:opening|import|salvage)\b/.test(name)

/** Tells whether a folder holds the media of a store on a server. */
function isMediaFolder(folder: string): boolean {
  const mark = join(folder, markName)
  return isFileSync(mark) && /^[\w-]{8,64}\s*$/.test(readFileSync(mark, 'utf8').slice(0, 100))
}

/** Resolves links in the part of a path that exists. The rest is added as it is. */
function canonicalPath(path: string): string {
  const absolute = resolve(path)
  let existing = absolute
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  const real = realpathSync.native(existing)
  const rest = relative(existing, absolute)
  return rest === '' ? real : `${real === sep ? '' : real}${sep}${rest}`
}

function readHead(file: string): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const head = Buffer.alloc(headBytes)
    return head.subarray(0, readSync(descriptor, head, 0, headBytes, 0))
  } finally {
    closeSync(descriptor)
  }
}
