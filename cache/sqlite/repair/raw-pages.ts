/**
 * Reads rows of a database that SQLite can no longer read. Each page with rows of a table can be read by itself, even
 * if the pages around it are damaged. The file format: https://www.sqlite.org/fileformat2.html
 */
import { largest } from '../../../base/collections/counts.js'
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'

export type RawValue = string | number | Buffer | null

export interface RawRow {
  readonly rowid: number
  /** The values in the order of columns. The column that is the row's number is null. */
  readonly values: readonly RawValue[]
}

const defaultPageSize = 4096
const tableLeaf = 0x0d

/** Reads every readable row of a database file and of its log, in no particular order. */
export function* rawRows(file: string): Generator<RawRow> {
  const pages = openPages(file)
  try {
    for (let number = 1; number <= pages.count; number++) yield* readRows(pages, number)
  } finally {
    pages.close()
  }
}

interface Pages {
  readonly size: number
  readonly count: number
  readonly read: (number: number) => Buffer
  readonly close: () => void
}

function openPages(file: string): Pages {
  const main = openSync(file, 'r')
  const wal = existsSync(`${file}-wal`) ? openSync(`${file}-wal`, 'r') : undefined
  const bytesAt = (from: number, at: number, length: number): Buffer => {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(from, bytes, 0, length, at))
  }
  const size = pageSizeIn(bytesAt(main, 0, 100))
  const logged =
    wal === undefined
      ? new Map<number, number>()
      : loggedPages(fstatSync(wal).size, size, (at, length) => bytesAt(wal, at, length))
  const count = largest(Math.ceil(fstatSync(main).size / size), logged.keys())
  return {
    size,
    count,
    read(number) {
      const at = logged.get(number)
      return at === undefined || wal === undefined ? bytesAt(main, (number - 1) * size, size) : bytesAt(wal, at, size)
    },
    close() {
      closeSync(main)
      if (wal !== undefined) closeSync(wal)
    },
  }
}

function pageSizeIn(header: Buffer): number {
  if (header.length < 18 || header.toString('latin1', 0, 15) !== 'SQLite format 3') return defaultPageSize
  const size = header.readUInt16BE(16)
  return size === 1 ? 65_536 : size >= 512 && (size & (size - 1)) === 0 ? size : defaultPageSize
}

/** Finds the pages whose newest version is in the log. Its checksums are ignored, because rows are checked later. */
function loggedPages(
  bytes: number,
  pageSize: number,
  read: (at: number, length: number) => Buffer,
): Map<number, number> {
  const offsets = new Map<number, number>()
  const head = read(0, 32)
  if (head.length < 32 || head.readUInt32BE(0) >>> 1 !== 0x377f0682 >>> 1 || head.readUInt32BE(8) !== pageSize)
    return offsets
  for (let at = 32; at + 24 + pageSize <= bytes; at += 24 + pageSize) {
    const frame = read(at, 24)
    // The frame is left from an earlier use of the log.
    if (frame.compare(head, 16, 24, 8, 16) !== 0) break
    offsets.set(frame.readUInt32BE(0), at + 24)
  }
  return offsets
}

function* readRows(pages: Pages, number: number): Generator<RawRow> {
  const page = pages.read(number)
  const start = number === 1 ? 100 : 0
  if (page.length < start + 8 || page[start] !== tableLeaf) return
  const cells = page.readUInt16BE(start + 3)
  for (let cell = 0; cell < cells && start + 10 + 2 * cell <= page.length; cell++) {
    const row = rowAt(pages, page, page.readUInt16BE(start + 8 + 2 * cell))
    if (row !== undefined) yield row
  }
}

/** @returns undefined if the bytes are not a row */
function rowAt(pages: Pages, page: Buffer, at: number): RawRow | undefined {
  try {
    const [length, afterLength] = varint(page, at)
    const [rowid, start] = varint(page, afterLength)
    const values = length <= mostBytes ? valuesIn(payloadAt(pages, page, { start, length })) : undefined
    return values && { rowid, values }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** A larger length is damage, since a row holds at most a prompt or an answer. */
const mostBytes = 1 << 30

/** Reads a row's bytes. Those that do not fit into a page continue in a chain of overflow pages. */
function payloadAt(
  { size, count, read }: Pages,
  page: Buffer,
  { start, length }: { readonly start: number; readonly length: number },
): Buffer {
  const most = size - 35
  const least = Math.floor(((size - 12) * 32) / 255) - 23
  const fittingBytes = least + ((length - least) % (size - 4))
  const local = length <= most ? length : fittingBytes <= most ? fittingBytes : least
  const parts = [whole(page, start, local)]
  let remainingBytes = length - local
  for (let next = remainingBytes > 0 ? page.readUInt32BE(start + local) : 0; remainingBytes > 0;) {
    if (next === 0 || next > count) throw new RangeError('a chain of pages that is broken')
    const more = read(next)
    const pieceBytes = Math.min(remainingBytes, size - 4)
    parts.push(whole(more, 4, pieceBytes))
    remainingBytes -= pieceBytes
    next = more.readUInt32BE(0)
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
}

function whole(bytes: Buffer, start: number, length: number): Buffer {
  if (start + length > bytes.length) throw new RangeError('a row that ends beyond its page')
  return bytes.subarray(start, start + length)
}

function valuesIn(payload: Buffer): readonly RawValue[] {
  const [headerLength, first] = varint(payload, 0)
  const values: RawValue[] = []
  let at = headerLength
  for (let index = first; index < headerLength;) {
    const [type, next] = varint(payload, index)
    const length = computeLength(type)
    values.push(decodeValue(type, whole(payload, at, length)))
    at += length
    index = next
  }
  if (at !== payload.length) throw new RangeError('a row of another length')
  return values
}

const lengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]
const computeLength = (type: number): number => lengths[type] ?? Math.floor((type - 12) / 2)

function decodeValue(type: number, bytes: Buffer): RawValue {
  if (type === 0) return null
  if (type <= 5) return bytes.readIntBE(0, bytes.length)
  if (type === 6) return Number(bytes.readBigInt64BE())
  if (type === 7) return bytes.readDoubleBE()
  if (type === 8 || type === 9) return type - 8
  if (type < 12) throw new RangeError('a type that there is not')
  return type % 2 === 0 ? Buffer.from(bytes) : bytes.toString('utf8')
}

/** Reads a number of one to nine bytes. It also returns the position behind it. */
function varint(bytes: Buffer, at: number): readonly [value: number, next: number] {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes.readUInt8(at + index)
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return [value, at + index + 1]
  }
  return [value * 256 + bytes.readUInt8(at + 8), at + 9]
}
