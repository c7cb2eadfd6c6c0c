/** Media of the store, as files that browsers may show. */
import { open, type FileHandle } from 'node:fs/promises'
import { systemCode } from '../../../../base/errors/errors.js'
import { fileSource } from '../../../../base/media/byte-source.js'
import { sniffLength, sniffMediaType } from '../../../../base/media/media-type.js'
import { parseDigest, type MediaDigest } from '../../../../cache/digest.js'
import { DamagedMediumError } from '../../../../cache/media/medium-errors.js'
import type { MediaStore, MediumFile } from '../../../../cache/store.js'
import { RefusedError } from '../../http/problems.js'

/** Formats that browsers show and that run nothing. All else, such as SVG and HTML, is only saved. */
const browserTypes: ReadonlySet<string> = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'],
  ...['video/mp4', 'video/webm', 'video/quicktime', 'video/ogg'],
  ...['audio/mpeg', 'audio/wav', 'audio/ogg', 'audio/flac', 'audio/mp4', 'audio/webm', 'audio/aac'],
])

/** A medium of the store with its size and the type of its bytes. */
export interface FoundMedium {
  readonly digest: MediaDigest
  readonly bytes: number
  /** The media type of the bytes. Undefined if the format is unknown. */
  readonly format?: string
  readonly kind?: 'image' | 'audio' | 'video' | 'file'
  /** The type that browsers get: `application/octet-stream` where they must not show it. */
  readonly type: string
}

/** A medium with a file of this machine. */
export interface MediaFile extends FoundMedium {
  readonly path: string
}

/** @throws RefusedError (404) if the text is no digest, or the store has no such medium */
export async function findMedium(store: Pick<MediaStore, 'openFile'>, text: string): Promise<FoundMedium> {
  const digest = digestIn(text)
  await using medium = await withoutMissing(() => store.openFile(digest))
  const file = await withoutMissing(() => open(medium.path))
  try {
    const { size } = await file.stat()
    const head = Buffer.alloc(Math.min(sniffLength, size))
    await file.read(head, 0, head.length, 0)
    const mediaType = sniffMediaType(head, fileSource(file, head, size))
    return {
      digest,
      bytes: size,
      ...(mediaType && { format: mediaType.format, kind: mediaType.kind }),
      type: mediaType !== undefined && browserTypes.has(mediaType.mime) ? mediaType.mime : 'application/octet-stream',
    }
  } finally {
    await file.close()
  }
}

function digestIn(text: string): MediaDigest {
  try {
    return parseDigest<'media'>(text)
  } catch {
    throw noMedium()
  }
}

async function withoutMissing<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw noMedium()
    if (error instanceof DamagedMediumError) throw new RefusedError(404, error.message)
    throw error
  }
}

const noMedium = (): RefusedError => new RefusedError(404, 'the store has no such medium')

/** Bytes of one read. */
const pieceBytes = 256 * 1024

/** A part of a medium. Its file is opened when somebody reads, and closed when nobody does any more. */
export function streamMedium(
  openFile: () => Promise<MediumFile>,
  { from, to }: { readonly from: number; readonly to: number },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let medium: MediumFile | undefined
  let file: FileHandle | undefined
  let at = from
  const end = async (): Promise<void> => {
    await file?.close()
    await medium?.[Symbol.asyncDispose]()
    file = medium = undefined
  }
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        medium ??= await openFile()
        file ??= await open(medium.path)
        const piece = new Uint8Array(Math.min(pieceBytes, to - at))
        const { bytesRead } = await file.read(piece, 0, piece.length, at)
        at += bytesRead
        if (bytesRead > 0) controller.enqueue(piece.subarray(0, bytesRead))
        if (bytesRead > 0 && at < to) return
        const { path } = medium
        await end()
        if (at < to) controller.error(new Error(`${path} became shorter while it was read`))
        else controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
