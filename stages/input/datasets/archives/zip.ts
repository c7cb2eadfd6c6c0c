import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import yauzl from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'
import { messageOf } from '../../../../base/errors/errors.js'
import { DatasetProblem } from '../dataset.js'
import type { Unpacking } from './unpacked-folder.js'

/**
 * Unpacks a ZIP file, out of one file or of its pieces.
 *
 * @throws DatasetProblem where it is damaged or none.
 */
export async function readZip(files: readonly string[], name: string, unpacking: Unpacking): Promise<void> {
  try {
    const zip = await openZip(files)
    try {
      for await (const entry of zip.eachEntry()) await unpackEntry(zip, entry, unpacking)
    } finally {
      zip.close()
    }
  } catch (error) {
    if (error instanceof DatasetProblem || isOfSystem(error)) throw error
    throw new DatasetProblem('dataset_path', `${name} can't be unpacked: ${messageOf(error)}`, { cause: error })
  }
}

async function openZip(files: readonly string[]): Promise<ZipFile> {
  const options = { lazyEntries: true, autoClose: false }
  const [file] = files
  if (file !== undefined && files.length === 1) return yauzl.openPromise(file, options)
  const whole = await asOneZip(await Promise.all(files.map(measureStretch)))
  return yauzl.fromRandomAccessReaderPromise(new JoinedReader(whole), sumLengths(whole), options)
}

const isOfSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error

/** The file type within the mode that Unix tools write. */
const isSymbolicLink = (entry: Entry): boolean => ((entry.externalFileAttributes >>> 16) & 0o170000) === 0o120000

async function unpackEntry(zip: ZipFile, entry: Entry, unpacking: Unpacking): Promise<void> {
  const { fileName: name } = entry
  if (name.endsWith('/')) return
  if (entry.isEncrypted()) throw new Error(`${name} is encrypted`)
  if (isSymbolicLink(entry))
    throw new DatasetProblem('dataset_path', `a ZIP file holds a link (${name}): it is not unpacked`)
  await unpacking.file(name, await zip.openReadStreamPromise(entry))
}

/** The maximum length of the end of a ZIP file: its comment, and what ZIP64 puts before it. */
const endLength = 22
const mostComment = 0xffff
const locatorLength = 20
const headLength = 46
const unknown32 = 0xffffffff

/**
 * Joins a split ZIP file (`x.z01`, `x.z02`, …, `x.zip`) to one file. The directory of a split file locates each entry by piece and offset within the
 * piece. The joined file gets a new directory with offsets in the whole.
 *
 * Source: PKWARE's APPNOTE 4.3.12 to 4.3.16, 4.5.3.
 *
 * @returns the pieces unchanged if they are a file that was merely cut, because its directory is correct
 */
async function asOneZip(pieces: readonly Stretch[]): Promise<readonly Stretch[]> {
  const location = await findDirectory(pieces)
  if (location === undefined || pieces.length === 1) return pieces
  const { start, length } = location
  const directory = joinedDirectory(await read(pieces, start, start + length), computeStarts(pieces))
  return [...cut(pieces, start), stretch(directory.bytes), stretch(makeDirectoryEnd({ ...directory, start }))]
}

const stretch = (bytes: Buffer): Stretch => ({ bytes, length: bytes.length })

interface DirectoryLocation {
  /** In all pieces together. */
  readonly start: number
  readonly length: number
}

/** Finds the directory. Undefined if the last piece is not marked as part of a split file. */
async function findDirectory(pieces: readonly Stretch[]): Promise<DirectoryLocation | undefined> {
  const starts = computeStarts(pieces)
  const size = sumLengths(pieces)
  const tail = await read(pieces, Math.max(0, size - endLength - mostComment - locatorLength), size)
  const end = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end < 0 || tail.readUInt16LE(end + 4) === 0) return undefined
  const locator = end - locatorLength
  if (locator >= 0 && tail.toString('latin1', locator, locator + 4) === 'PK\x06\x07') {
    const at = startIn(starts, tail.readUInt32LE(locator + 4)) + Number(tail.readBigUInt64LE(locator + 8))
    const long = await read(pieces, at, at + 56)
    return {
      start: startIn(starts, long.readUInt32LE(20)) + Number(long.readBigUInt64LE(48)),
      length: Number(long.readBigUInt64LE(40)),
    }
  }
  return {
    start: startIn(starts, tail.readUInt16LE(end + 6)) + tail.readUInt32LE(end + 16),
    length: tail.readUInt32LE(end + 12),
  }
}

/** Writes a directory that gives each entry's offset in the joined file in a ZIP64 field. */
function joinedDirectory(
  directory: Buffer,
  starts: readonly number[],
): { readonly bytes: Buffer; readonly entries: number } {
  const entries: Buffer[] = []
  for (let at = 0; at + headLength <= directory.length;) {
    const nameLength = directory.readUInt16LE(at + 28)
    const extraLength = directory.readUInt16LE(at + 30)
    const end = at + headLength + nameLength + extraLength + directory.readUInt16LE(at + 32)
    entries.push(joinedEntry(directory.subarray(at, end), { nameLength, extraLength, starts }))
    at = end
  }
  return { bytes: Buffer.concat(entries), entries: entries.length }
}

function joinedEntry(
  entry: Buffer,
  {
    nameLength,
    extraLength,
    starts,
  }: { readonly nameLength: number; readonly extraLength: number; readonly starts: readonly number[] },
): Buffer {
  const head = Buffer.from(entry.subarray(0, headLength))
  const extraStart = headLength + nameLength
  const extra = entry.subarray(extraStart, extraStart + extraLength)
  const { long, others } = splitExtraFields(extra)
  let read = 0
  const longValue = (): number => Number(long.readBigUInt64LE((read += 8) - 8))
  const sizes = [24, 20].map(position => {
    const size = head.readUInt32LE(position)
    return size === unknown32 ? longValue() : size
  })
  const givenOffset = head.readUInt32LE(42)
  const offset = givenOffset === unknown32 ? longValue() : givenOffset
  const givenDisk = head.readUInt16LE(34)
  const disk = givenDisk === 0xffff ? long.readUInt32LE(read) : givenDisk
  const field = Buffer.alloc(28)
  field.writeUInt16LE(1, 0)
  field.writeUInt16LE(24, 2)
  for (const [index, value] of [...sizes, startIn(starts, disk) + offset].entries())
    field.writeBigUInt64LE(BigInt(value), 4 + 8 * index)
  for (const position of [20, 24, 42]) head.writeUInt32LE(unknown32, position)
  head.writeUInt16LE(0, 34)
  head.writeUInt16LE(others.length + field.length, 30)
  return Buffer.concat([
    head,
    entry.subarray(headLength, extraStart),
    others,
    field,
    entry.subarray(extraStart + extraLength),
  ])
}

/** The field of ZIP64, and all others. */
function splitExtraFields(extra: Buffer): { readonly long: Buffer; readonly others: Buffer } {
  const others: Buffer[] = []
  let long: Buffer = Buffer.alloc(0)
  for (let at = 0; at + 4 <= extra.length;) {
    const end = at + 4 + extra.readUInt16LE(at + 2)
    if (extra.readUInt16LE(at) === 1) long = extra.subarray(at + 4, end)
    else others.push(extra.subarray(at, end))
    at = end
  }
  return { long, others: Buffer.concat(others) }
}

/** Makes the ZIP64 end of a file whose directory begins at `start`. */
function makeDirectoryEnd({
  bytes,
  entries,
  start,
}: {
  readonly bytes: Buffer
  readonly entries: number
  readonly start: number
}): Buffer {
  const long = Buffer.alloc(56)
  long.write('PK\x06\x06', 0, 'latin1')
  long.writeBigUInt64LE(44n, 4)
  for (const [index, value] of [entries, entries, bytes.length, start].entries())
    long.writeBigUInt64LE(BigInt(value), 24 + 8 * index)
  const locator = Buffer.alloc(locatorLength)
  locator.write('PK\x06\x07', 0, 'latin1')
  locator.writeBigUInt64LE(BigInt(start + bytes.length), 8)
  locator.writeUInt32LE(1, 16)
  const end = Buffer.alloc(endLength, 0xff)
  end.write('PK\x05\x06\0\0\0\0', 0, 'latin1')
  end.writeUInt16LE(0, 20)
  return Buffer.concat([long, locator, end])
}

const computeStarts = (pieces: readonly Stretch[]): readonly number[] =>
  pieces.map((_, index) => sumLengths(pieces.slice(0, index)))

function startIn(starts: readonly number[], piece: number): number {
  const start = starts[piece]
  if (start === undefined) throw new Error(`piece ${piece + 1} of it is missing`)
  return start
}

/** Cuts stretches at an offset. */
function cut(stretches: readonly Stretch[], end: number): readonly Stretch[] {
  let remainingLength = end
  return stretches.flatMap(part => {
    const length = Math.min(part.length, remainingLength)
    remainingLength -= length
    return length === 0 ? [] : [{ ...part, length }]
  })
}

async function read(stretches: readonly Stretch[], start: number, end: number): Promise<Buffer> {
  const bytes: Uint8Array[] = []
  for await (const piece of joinedBytes(stretches, { start, end })) bytes.push(piece)
  return Buffer.concat(bytes)
}

/** A part of the joined file: a range of a file, or bytes. */
type Stretch =
  { readonly file: string; readonly length: number } | { readonly bytes: Uint8Array; readonly length: number }

const measureStretch = async (file: string): Promise<Stretch> => ({ file, length: (await stat(file)).size })

const sumLengths = (stretches: readonly Stretch[]): number => stretches.reduce((sum, { length }) => sum + length, 0)

/** Files and bytes one after another, as the ZIP reader reads any range of one file. */
class JoinedReader extends yauzl.RandomAccessReader {
  readonly #stretches: readonly Stretch[]

  constructor(stretches: readonly Stretch[]) {
    super()
    this.#stretches = stretches
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(joinedBytes(this.#stretches, { start, end }))
  }
}

/** The bytes from `start` up to `end`, in pieces. */
async function* joinedBytes(
  stretches: readonly Stretch[],
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array> {
  let offset = 0
  for (const stretch of stretches) {
    const from = Math.max(0, start - offset)
    const to = Math.min(stretch.length, end - offset)
    offset += stretch.length
    if (from >= to) continue
    if ('bytes' in stretch) yield stretch.bytes.subarray(from, to)
    else yield* createReadStream(stretch.file, { start: from, end: to - 1 }) as AsyncIterable<Buffer>
  }
}
