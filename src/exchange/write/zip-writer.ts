import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'

const compressed = promisify(deflateRaw)

/** A file of an archive. */
export interface ZipFile {
  readonly name: string
  readonly content: string
}

const most32 = 0xffff_ffff
const most16 = 0xffff
/** 1 January 1980, so that equal content gives equal archives. */
const date = 0x21

interface Written {
  readonly name: Buffer
  readonly crc: number
  readonly size: number
  readonly packed: number
  readonly offset: number
}

/**
 * Makes a ZIP archive piece by piece; one file at a time is in memory. Sizes and numbers beyond 32 and 16 bits are
 * written as ZIP64 (PKWARE APPNOTE 6.3.10, sections 4.3 and 4.5.3).
 */
export async function* zipArchive(files: AsyncIterable<ZipFile>): AsyncGenerator<Buffer> {
  const entries: Written[] = []
  let offset = 0
  for await (const { name, content } of files) {
    const data = Buffer.from(content)
    const packed = await compressed(data)
    const entry = { name: Buffer.from(name), crc: crc32(data), size: data.length, packed: packed.length, offset }
    const head = localHead(entry)
    entries.push(entry)
    offset += head.length + packed.length
    yield head
    yield packed
  }
  const start = offset
  for (const entry of entries) {
    const head = centralHead(entry)
    offset += head.length
    yield head
  }
  yield makeEndRecord(entries.length, start, offset - start)
}

/** The fields that both heads of a file share, with UTF-8 names and Deflate. */
function common({ name, crc, size, packed }: Written, extra: number): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(45, 0)
  fields.writeUInt16LE(0x800, 2)
  fields.writeUInt16LE(8, 4)
  fields.writeUInt16LE(date, 8)
  fields.writeUInt32LE(crc, 10)
  fields.writeUInt32LE(packed, 14)
  fields.writeUInt32LE(size, 18)
  fields.writeUInt16LE(name.length, 22)
  fields.writeUInt16LE(extra, 24)
  return fields
}

const localHead = (entry: Written): Buffer => Buffer.concat([Buffer.from('PK\x03\x04'), common(entry, 0), entry.name])

function centralHead(entry: Written): Buffer {
  const isFar = entry.offset > most32
  const extra = Buffer.alloc(isFar ? 12 : 0)
  if (isFar) {
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(8, 2)
    extra.writeBigUInt64LE(BigInt(entry.offset), 4)
  }
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(isFar ? most32 : entry.offset, 10)
  const madeBy = Buffer.from([45, 0])
  return Buffer.concat([Buffer.from('PK\x01\x02'), madeBy, common(entry, extra.length), rest, entry.name, extra])
}

function makeEndRecord(count: number, start: number, size: number): Buffer {
  const wide = Buffer.alloc(56)
  wide.write('PK\x06\x06', 'latin1')
  wide.writeBigUInt64LE(44n, 4)
  wide.writeUInt16LE(45, 12)
  wide.writeUInt16LE(45, 14)
  wide.writeBigUInt64LE(BigInt(count), 24)
  wide.writeBigUInt64LE(BigInt(count), 32)
  wide.writeBigUInt64LE(BigInt(size), 40)
  wide.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.write('PK\x06\x07', 'latin1')
  locator.writeBigUInt64LE(BigInt(start + size), 8)
  locator.writeUInt32LE(1, 16)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(Math.min(count, most16), 8)
  end.writeUInt16LE(Math.min(count, most16), 10)
  end.writeUInt32LE(Math.min(size, most32), 12)
  end.writeUInt32LE(Math.min(start, most32), 16)
  const isWide = count >= most16 || size >= most32 || start >= most32
  return Buffer.concat(isWide ? [wide, locator, end] : [end])
}
