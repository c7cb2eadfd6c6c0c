import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync, type Stats } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { messageOf, systemCode } from '../errors/errors.js'
import { foreignContent } from './foreign-content.js'

/** Thrown if a path cannot be read as a file. The message follows the file's name: `it is a folder, not a file`. */
export class FileError extends Error {
  override readonly name = 'FileError'
  /** The `code` of the system error (`ENOENT`), or `ENOTFILE`. */
  readonly code: string
  /** The line with invalid content, counted from 1. */
  readonly line: number | undefined

  constructor(message: string, more: ErrorOptions & { readonly code?: string; readonly line?: number } = {}) {
    super(message, more)
    this.code = more.code ?? 'ENOTFILE'
    this.line = more.line
  }
}

const noPermission = 'permission denied. Look at its owner and mode (ls -l), or work as a user who may'

const words: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  EACCES: noPermission,
  EPERM: noPermission,
  EROFS: 'its file system is read-only',
  ELOOP: 'its symbolic links lead in a circle. Make the link lead to a file',
  EMFILE: 'too many files are open. Raise the limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  ENAMETOOLONG: 'its name is too long',
  ENOSPC: 'the disk is full',
  EIO: 'the disk reports an error (EIO)',
}

/** Describes an error of the file system, for use after the file's name. Returns `undefined` for other errors. */
export function fileTrouble(error: unknown): string | undefined {
  if (error instanceof FileError) return error.message
  const code = systemCode(error)
  return code === undefined ? undefined : words[code]
}

/** Describes why a path is no regular file, such as a folder or a pipe. */
function unfit(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined
  if (stats.isDirectory()) return words['EISDIR']
  if (stats.isFIFO()) return 'it is a pipe (FIFO), not a file. Write its output to a file, and name that file'
  return `it is a ${stats.isSocket() ? 'socket' : 'device'}, not a file`
}

/**
 * Verifies that a path is a regular file. Opening a pipe may block for ever, and a device may have no end.
 *
 * @throws FileError
 */
export async function expectFile(path: string): Promise<Stats> {
  return fit(await stat(path).catch(refuse))
}

/** The synchronous form of {@link expectFile}. */
export function expectFileSync(path: string): Stats {
  try {
    return fit(statSync(path))
  } catch (error) {
    return refuse(error)
  }
}

function fit(stats: Stats): Stats {
  const problem = unfit(stats)
  if (problem !== undefined) throw new FileError(problem)
  return stats
}

function refuse(error: unknown): never {
  if (error instanceof FileError) throw error
  const code = systemCode(error)
  throw new FileError(fileTrouble(error) ?? messageOf(error), { cause: error, ...(code === undefined ? {} : { code }) })
}

/** Maximum size of a settings file in bytes. Task files have some thousand; a megabyte of YAML takes seconds to parse. */
const mostBytes = 4 * 2 ** 20

/**
 * Reads the text of a settings file, such as YAML, without a byte order mark.
 *
 * @throws FileError if it is not a regular file, too large, or not UTF-8.
 */
export async function readText(path: string, most = mostBytes): Promise<string> {
  expectSize(await expectFile(path), most)
  return decodeText(await readFileBytes(path))
}

/** The synchronous form of {@link readText}. */
export function readTextSync(path: string, most = mostBytes): string {
  try {
    expectSize(expectFileSync(path), most)
    return decodeText(readFileSync(path))
  } catch (error) {
    return refuse(error)
  }
}

async function readFileBytes(path: string): Promise<Buffer> {
  try {
    await using file = await open(path)
    return await file.readFile()
  } catch (error) {
    return refuse(error)
  }
}

function expectSize({ size }: Stats, most: number): void {
  if (size <= most) return
  const [large, largest] = [size, most].map(bytes => `${Math.ceil(bytes / 2 ** 20).toLocaleString('en')} MB`)
  throw new FileError(
    `it has ${large}; ${largest} is the largest file of this kind that is read. Put data into a file of their own, such as JSONL`,
  )
}

function decodeText(bytes: Buffer): string {
  const foreign = foreignContent(bytes)
  if (foreign !== undefined) throw new FileError(foreign)
  if (!isUtf8(bytes)) throw notUtf8(bytes)
  return bytes.toString().replace(/^\ufeff/, '')
}

/** Names the line of the first invalid byte. */
function notUtf8(bytes: Buffer): FileError {
  let line = 1
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start)
    const stop = end < 0 ? bytes.length : end
    if (!isUtf8(bytes.subarray(start, stop))) break
    start = stop + 1
  }
  const cure = 'Save the file as UTF-8, such as by: iconv -f LATIN1 -t UTF-8 OLD > NEW'
  return new FileError(`line ${line} is not UTF-8. ${cure}`, { line })
}
