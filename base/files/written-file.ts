import { createHash } from 'node:crypto'
import { lstatSync, readlinkSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { FileError } from './files.js'

/** More links in a row lead in a circle. */
const mostLinks = 40

/**
 * Returns the path under which a file that a user names is to be replaced: behind symbolic links, which stay.
 *
 * @throws FileError for anything but a regular file, such as `/dev/stdout` or a pipe, which a rename would replace
 */
export function resolveWrittenFile(path: string): string {
  let target = resolve(path)
  for (let links = 0; lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() === true; links += 1) {
    if (links >= mostLinks) throw new FileError('its symbolic links lead in a circle')
    target = resolve(dirname(target), readlinkSync(target))
    // Such as `/dev/stdout`: the file is open, and its writer would not notice that it was replaced.
    if (target.startsWith('/proc/'))
      throw new FileError('it is an open file of a process, and a regular file is needed')
  }
  const stats = statSync(target, { throwIfNoEntry: false })
  if (stats === undefined || stats.isFile()) return target
  const kind = stats.isDirectory() ? 'a folder' : stats.isFIFO() ? 'a pipe (FIFO)' : 'a device or socket'
  throw new FileError(`it is ${kind}, and a regular file is needed`)
}

/** Bytes of a file's name that leave room for what surrounds them. */
const mostBytes = 120

/**
 * Makes names of files from names of tasks. Letters and digits of all scripts stay. Different names stay different, also on file
 * systems that ignore upper case: then a part of the name's digest is added.
 */
export function namesOfFiles(names: readonly string[]): readonly string[] {
  const plain = names.map(name => name.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, '_'))
  const counts = new Map<string, number>()
  for (const name of plain) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1)
  return plain.map((name, at) => {
    const isClear = counts.get(name.toLowerCase()) === 1 && Buffer.byteLength(name) <= mostBytes
    if (isClear) return name
    const digest = createHash('sha256')
      .update(names[at] ?? '')
      .digest('hex')
      .slice(0, 8)
    return `${shorten(name)}_${digest}`
  })
}

function shorten(name: string): string {
  let short = name
  while (Buffer.byteLength(short) > mostBytes) short = Array.from(short).slice(0, -1).join('')
  return short
}
