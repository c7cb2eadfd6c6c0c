import { closeSync, openSync, readSync } from 'node:fs'
import { crc32, inflateRawSync } from 'node:zlib'
import yauzl, { type Entry } from 'yauzl'
import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { WorkBudget } from '../../../base/files/work-budget.js'
import { unzstandard } from '../../../base/files/zstandard.js'

/** A file in a ZIP file. Entries of a large archive are many, so only these facts are held. */
export type ZipEntry = Pick<
  Entry,
  'fileName' | 'compressionMethod' | 'compressedSize' | 'uncompressedSize' | 'crc32' | 'relativeOffsetOfLocalHeader'
>

/**
 * A ZIP file whose entries are read in any order. It reads Zstandard, too, with which Inspect compresses its logs and
 * which `yauzl` does not know.
 */
export interface ZipArchive {
  readonly entries: readonly ZipEntry[]
  /** Reads an entry and verifies its checksum. */
  text(entry: ZipEntry): Promise<string>
  close(): Promise<void>
}

/** Opens a ZIP file. The caller owns it and must call `close()`. @throws PipelineError if it is damaged */
export async function openZip(file: string): Promise<ZipArchive> {
  const entries = await readEntries(file).catch((error: unknown) => {
    throw makeDamageError(file, messageOf(error), error)
  })
  // Small entries are many, and a thread for each read and each decompression would take most of the time.
  const descriptor = openSync(file, 'r')
  return {
    entries,
    async text(entry) {
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(await readEntry(descriptor, entry))
      } catch (error) {
        throw makeDamageError(`${shownPath(file)}, ${entry.fileName}`, messageOf(error), error)
      }
    },
    close() {
      closeSync(descriptor)
      return Promise.resolve()
    },
  }
}

const makeDamageError = (location: string, why: string, cause: unknown): PipelineError =>
  new PipelineError('bundle', `${shownPath(location)}: the ZIP file can't be read: ${why}`, { cause })

async function readEntries(file: string): Promise<readonly ZipEntry[]> {
  const zip = await yauzl.openPromise(file, { lazyEntries: true, autoClose: false })
  try {
    const entries: ZipEntry[] = []
    for await (const entry of zip.eachEntry()) {
      const { fileName, compressionMethod, compressedSize, uncompressedSize, relativeOffsetOfLocalHeader } = entry
      const facts = { compressionMethod, compressedSize, uncompressedSize, relativeOffsetOfLocalHeader }
      entries.push({ fileName, ...facts, crc32: entry.crc32 })
    }
    return entries
  } finally {
    zip.close()
  }
}

const localHeaderLength = 30

async function readEntry(descriptor: number, entry: ZipEntry): Promise<Buffer> {
  const start = entry.relativeOffsetOfLocalHeader
  const header = readRange(descriptor, start, localHeaderLength)
  if (header.readUInt32LE(0) !== 0x04034b50) throw new Error('an entry is not where the directory says')
  const offset = start + localHeaderLength + header.readUInt16LE(26) + header.readUInt16LE(28)
  const content = await decompressEntry(readRange(descriptor, offset, entry.compressedSize), entry)
  if (content.length !== entry.uncompressedSize || crc32(content) !== entry.crc32) throw new Error('wrong checksum')
  return content
}

function readRange(descriptor: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  if (readSync(descriptor, bytes, 0, length, start) < length) throw new Error('the file ends too early')
  return bytes
}

async function decompressEntry(bytes: Buffer, { compressionMethod, uncompressedSize }: ZipEntry): Promise<Buffer> {
  switch (compressionMethod) {
    case 0:
      return bytes
    case 8:
      return inflateRawSync(bytes, { maxOutputLength: Math.max(1, uncompressedSize) })
    case 93: {
      const pieces: Uint8Array[] = []
      const budget = new WorkBudget({ steps: Infinity, bytes: uncompressedSize })
      for await (const piece of unzstandard(onePiece(bytes))) {
        budget.produce(piece.length)
        pieces.push(piece)
      }
      return Buffer.concat(pieces)
    }
    default:
      throw new Error(`compression method ${compressionMethod} is not supported`)
  }
}

// eslint-disable-next-line @typescript-eslint/require-await -- the reader takes pieces that may arrive later
async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
