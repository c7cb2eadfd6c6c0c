import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, rename, rm, stat } from 'node:fs/promises'
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { systemCode } from '../errors/errors.js'

/** Codes of file systems that have no second names of a file. */
const withoutLinks = /^(EPERM|ENOTSUP|EOPNOTSUPP|EXDEV|EMLINK|ENOSYS|EINVAL)$/

/**
 * Gives a complete file its name, unless a file of the same content has that name. Another process may read that file, and would take a replacement
 * for a change of its content. A file of other content, such as a damaged one, is replaced.
 *
 * @param temporary a path in the same folder. It does not exist afterwards
 * @param isSame tells whether the two files have the same content. @default compares their bytes
 */
export async function publishOnce(
  temporary: string,
  file: string,
  isSame: (temporary: string, file: string) => Promise<boolean> = haveSameBytes,
): Promise<void> {
  try {
    await link(temporary, file)
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (code !== 'EEXIST' && !withoutLinks.test(code)) throw error
    if (!(await isSame(temporary, file))) return rename(temporary, file)
  }
  await rm(temporary, { force: true })
}

/** Writes a file whose name stands for its content. It appears complete, and an existing one stays as it is. The folder must exist. */
export function writeOnceSync(file: string, text: string): void {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    writeFileSync(temporary, text, { flag: 'wx' })
    try {
      linkSync(temporary, file)
    } catch (error) {
      const code = systemCode(error) ?? ''
      if (withoutLinks.test(code)) renameSync(temporary, file)
      else if (code !== 'EEXIST') throw error
    }
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Tells whether two files have the same size. A missing file has none. */
export async function haveSameSize(one: string, other: string): Promise<boolean> {
  const [size, otherSize] = await Promise.all([readSize(one), readSize(other)])
  return size !== undefined && size === otherSize
}

async function haveSameBytes(one: string, other: string): Promise<boolean> {
  if (!(await haveSameSize(one, other))) return false
  const others = createReadStream(other)
  try {
    const pieces = others[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
    for await (const piece of createReadStream(one) as AsyncIterable<Buffer>) {
      const { value } = await pieces.next()
      // Streams of equal files give pieces of equal size.
      if (value === undefined || !piece.equals(value)) return false
    }
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  } finally {
    others.destroy()
  }
}

const readSize = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined
      throw error
    },
  )
