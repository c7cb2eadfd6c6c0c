/** Makes a box of an ISO base media file. */
export function isoBox(type: string, ...content: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(content.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length, 0)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}

const track = (kind: string): Buffer =>
  isoBox('trak', isoBox('tkhd', Buffer.alloc(84)), isoBox('mdia', isoBox('mdhd', Buffer.alloc(24)), handler(kind)))
const handler = (kind: string): Buffer => isoBox('hdlr', Buffer.alloc(8), kind, Buffer.alloc(13))

/** An MP4 file with tracks of these kinds, whose list is before or after the samples. */
export function isoMedia(
  kinds: readonly string[],
  {
    brand = 'isom',
    samples = 1000,
    isIndexLast = true,
  }: { brand?: string; samples?: number; isIndexLast?: boolean } = {},
): Buffer {
  const index = isoBox('moov', isoBox('mvhd', Buffer.alloc(100)), ...kinds.map(track))
  const content = isoBox('mdat', Buffer.alloc(samples, 0x5a))
  const start = isoBox('ftyp', brand, Buffer.alloc(4))
  return Buffer.concat(isIndexLast ? [start, isoBox('free'), content, index] : [start, index, content])
}
