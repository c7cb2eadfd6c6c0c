/** Media of the store, as files that browsers may show. */
import { open, type FileHandle } from 'node:fs/promises'
import { systemCode } from '../../../../base/errors/errors.js'
import { sniffLength, sniffMediaType } from '../../../../base/media/media-type.js'
import { parseDigest, type MediaDigest } from '../../../../cache/digest.js'
import type { MediaStore } from '../../../../cache/store.js'
import { RefusedError } from '../../http/problems.js'

/** Formats that browsers show and that run nothing. All else, such as SVG and HTML, is only saved. */
const shown: ReadonlySet<string> = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'],
  ...['video/mp4', 'video/webm', 'video/quicktime', 'video/ogg'],
  ...['audio/mpeg', 'audio/wav', 'audio/ogg', 'audio/flac', 'audio/mp4', 'audio/webm', 'audio/aac'],
])

export interface MediaFile {
  readonly digest: MediaDigest
  readonly path: string
  readonly bytes: number
  /** The type of its bytes, whatever it is; undefined if no format is known. */
  readonly format?: string
  readonly kind?: 'image' | 'audio' | 'video' | 'file'
  /** The type that browsers get: `application/octet-stream` where they must not show it. */
  readonly type: string
}

/** @throws RefusedError (404) if the text is no digest, or the store has no such medium */
export async function findMedium(store: MediaStore, text: string): Promise<MediaFile> {
  const digest = digestIn(text)
  const path = store.path(digest)
  const file = await opened(path)
  try {
    const { size } = await file.stat()
    const head = Buffer.alloc(Math.min(sniffLength, size))
    await file.read(head, 0, head.length, 0)
    const found = sniffMediaType(head)
    return {
      digest,
      path,
      bytes: size,
      ...(found && { format: found.format, kind: found.kind }),
      type: found !== undefined && shown.has(found.mime) ? found.mime : 'application/octet-stream',
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

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw noMedium()
    throw error
  }
}

const noMedium = (): RefusedError => new RefusedError(404, 'the store has no such medium')

/** Bytes of one read. */
const pieceBytes = 256 * 1024

/** A part of a file. The file is opened when somebody reads, and closed when nobody does any more. */
export function fileStream(
  path: string,
  { from, to }: { readonly from: number; readonly to: number },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let file: FileHandle | undefined
  let at = from
  const end = async (): Promise<void> => {
    await file?.close()
    file = undefined
  }
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        file ??= await open(path)
        const piece = new Uint8Array(Math.min(pieceBytes, to - at))
        const { bytesRead } = await file.read(piece, 0, piece.length, at)
        at += bytesRead
        if (bytesRead > 0) controller.enqueue(piece.subarray(0, bytesRead))
        if (bytesRead > 0 && at < to) return
        await end()
        if (at < to) controller.error(new Error(`${path} became shorter while it was read`))
        else controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
