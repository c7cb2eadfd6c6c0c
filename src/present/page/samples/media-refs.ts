import { open, type FileHandle } from 'node:fs/promises'
import { RecentResults } from '../../../../base/collections/recent-map.js'
import { fileSource } from '../../../../base/media/byte-source.js'
import { sniffLength, sniffMediaType } from '../../../../base/media/media-type.js'
import { pictureHeadLength, pictureSize, type PictureSize } from '../../../../base/media/picture-size.js'
import { isLostMedium } from '../../../../cache/media/medium-errors.js'
import type { MediaPart } from '../../../../cache/records.js'
import type { MediaStore } from '../../../../cache/store.js'
import type { MediaRef } from '../data/index.js'

/** Types that a page may show or play. All else is `application/octet-stream`, which browsers only save. */
const shownTypes: ReadonlySet<string> = new Set([
  ...['png', 'jpeg', 'gif', 'webp', 'bmp', 'avif'].map(format => `image/${format}`),
  ...['mpeg', 'wav', 'ogg', 'flac', 'mp4', 'aac', 'webm'].map(format => `audio/${format}`),
  ...['mp4', 'webm', 'ogg', 'quicktime', 'x-matroska'].map(format => `video/${format}`),
  'application/pdf',
])

const shownType = (mime: string | undefined): string =>
  mime !== undefined && shownTypes.has(mime) ? mime : 'application/octet-stream'

/** The part of the store of media that pages need. */
export type ShownMedia = Pick<MediaStore, 'openFile' | 'locate'>

interface Look {
  readonly type: string
  readonly bytes: number
  readonly size?: PictureSize | undefined
}

/** Remembered sizes never become stale, because a medium's name is its digest. */
const looks = new RecentResults<Look>(20_000)

/** Describes a medium of a message by its bytes. A medium that is gone, or damaged in object storage, has `isMissing`. */
export async function mediaRef(media: ShownMedia, part: MediaPart): Promise<MediaRef> {
  const { media: digest, type: kind } = part
  const path = media.locate(digest)
  try {
    const { type, bytes, size } = await looks.get(path, async () => {
      await using file = await media.openFile(digest)
      return await lookAt(file.path)
    })
    return { digest, kind, type, bytes, ...size, path }
  } catch (error) {
    if (!isLostMedium(error)) throw error
    return { digest, kind, type: 'application/octet-stream', bytes: 0, path, isMissing: true }
  }
}

async function lookAt(path: string): Promise<Look> {
  const file = await open(path)
  try {
    const { size: bytes } = await file.stat()
    const start = await readHead(file, Math.min(bytes, sniffLength))
    const mediaType = sniffMediaType(start, fileSource(file, start, bytes))
    const type = shownType(mediaType?.mime)
    if (mediaType?.kind !== 'image') return { type, bytes }
    return { type, bytes, size: await readPictureSize(path, { file, bytes, start, mime: mediaType.mime }) }
  } finally {
    await file.close()
  }
}

async function readHead(file: FileHandle, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
  return buffer.subarray(0, bytesRead)
}

/** The size as browsers show a picture: with the rotation that a JPEG's metadata names. */
async function readPictureSize(
  path: string,
  { file, bytes, start, mime }: { file: FileHandle; bytes: number; start: Buffer; mime: string },
): Promise<PictureSize | undefined> {
  if (mime !== 'image/jpeg') {
    const size = pictureSize(start)
    if (size !== undefined) return size
  }
  try {
    const { default: sharp } = await import('sharp')
    const { width, height, autoOrient } = await sharp(path, { failOn: 'none' }).metadata()
    return autoOrient.width > 0 ? { width: autoOrient.width, height: autoOrient.height } : { width, height }
  } catch {
    // Sharp rejects damaged pictures, but the header often still tells the size.
    return pictureSize(await readHead(file, Math.min(bytes, pictureHeadLength)))
  }
}
