/** Size of an image in stored pixels, before a rotation from its metadata. */
export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** The number of bytes that usually contain the size. In a JPEG, a preview and a colour profile may precede it. */
export const pictureHeadLength = 256 * 1024

/** Reads the size of a PNG, JPEG, GIF, WebP or BMP from its first bytes. Returns undefined if they do not contain it. */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, pictureHeadLength))
  try {
    const size = sizeIn(head)
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
  } catch (error) {
    // The bytes end before the size.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function sizeIn(head: Buffer): PictureSize | undefined {
  const magic = head.toString('latin1', 0, 4)
  if (magic === '\x89PNG') return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
  if (magic === 'GIF8') return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) }
  if (magic.startsWith('BM')) return { width: head.readInt32LE(18), height: Math.abs(head.readInt32LE(22)) }
  if (magic === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') return webpSize(head)
  return magic.startsWith('\xff\xd8') ? jpegSize(head) : undefined
}

/** Source: RFC 9649, WebP Image Format, the three kinds of first chunks. */
function webpSize(head: Buffer): PictureSize | undefined {
  const kind = head.toString('latin1', 12, 16)
  if (kind === 'VP8X') return { width: 1 + head.readUIntLE(24, 3), height: 1 + head.readUIntLE(27, 3) }
  if (kind === 'VP8L') {
    const bits = head.readUInt32LE(21)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  return kind === 'VP8 ' ? { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff } : undefined
}

/** Reads the size from the first frame header. Source: ITU-T T.81, table B.1. */
function jpegSize(head: Buffer): PictureSize | undefined {
  let at = 2
  for (;;) {
    while (head.readUInt8(at) === 0xff && head.readUInt8(at + 1) === 0xff) at += 1
    if (head.readUInt8(at) !== 0xff) return undefined
    const marker = head.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) }
    at += 2 + head.readUInt16BE(at + 2)
  }
}
