import { base64Length } from '../../../../../cache/media/encode-medium.js'
import { open } from 'node:fs/promises'
import { messageOf, PipelineError } from '../../../../../base/errors/errors.js'
import { fileSource } from '../../../../../base/media/byte-source.js'
import { sniffLength, sniffMediaType, type MediaType } from '../../../../../base/media/media-type.js'
import { RecentMap } from '../../../../../base/collections/recent-map.js'
import { streamingSha256, type MediaDigest } from '../../../../../cache/digest.js'
import type { MediaPart } from '../../../../../cache/records.js'
import type { BackendContext } from '../../../define-backend.js'
import { AttemptError, type ModelRequest } from '../../../model.js'

/** A text of the body, or a medium to be written in base64. */
export type BodyPiece = string | { readonly part: MediaPart; readonly type: MediaType }

/** Returns a medium's type, which is detected from its bytes. */
export type TypeOf = (part: MediaPart) => MediaType

/** A request body with its length in bytes. */
export interface Body {
  readonly length: number
  readonly content: string | AsyncIterable<Uint8Array>
}

export interface MediumHead {
  readonly bytes: number
  readonly type: MediaType
}

/** The size of a piece. It is a multiple of three, so that the base64 pieces can be joined. */
const pieceBytes = 3 * 64 * 1024
/** The number of bytes that are converted at once. A larger text is allocated outside the heap, which is ten times slower. */
const textBytes = 3 * 16 * 1024
const mostHeads = 10_000

/** Returns a function that reads a medium's type and size. It caches them, because media never change under their digest. */
export function mediaHeads(context: BackendContext, backend: string): (part: MediaPart) => Promise<MediumHead> {
  const heads = new RecentMap<MediaDigest, MediumHead>(mostHeads)
  return async part => {
    const head = heads.get(part.media) ?? (await readHead(part, context, backend))
    heads.set(part.media, head)
    return head
  }
}

async function readHead(part: MediaPart, context: BackendContext, backend: string): Promise<MediumHead> {
  if (part.derive !== undefined) {
    const wanted = Object.keys(part.derive).join(', ')
    throw new AttemptError('invalid_request', `${backend}: sends media as they are, without ${wanted}`, {
      isRetryable: false,
    })
  }
  return aboutMedium(part.media, async () => {
    await using medium = await context.openMediaFile(part.media)
    await using file = await open(medium.path)
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sniffLength), 0, sniffLength, 0)
    const head = buffer.subarray(0, bytesRead)
    const type = sniffMediaType(head, fileSource(file, head, size))
    if (type?.kind !== part.type) throw new Error(`is no ${part.type} of a known format`)
    return { bytes: size, type }
  })
}

/** Lists all media parts of a request. */
export const listMedia = ({ input }: ModelRequest): readonly MediaPart[] =>
  input.messages.flatMap(message => message.content.filter(part => part.type !== 'text'))

/**
 * Makes a body: a text without media, else a stream from the files. A request then uses only a few hundred kilobytes of
 * memory, however large its media are.
 */
export function makeBody(
  pieces: readonly BodyPiece[],
  heads: ReadonlyMap<MediaDigest, MediumHead>,
  context: BackendContext,
): Body {
  const merged = mergeTexts(pieces)
  const lengths = merged.map(piece =>
    typeof piece === 'string' ? Buffer.byteLength(piece) : base64Length(heads.get(piece.part.media)?.bytes ?? 0),
  )
  const length = lengths.reduce((sum, bytes) => sum + bytes, 0)
  const [only] = merged
  if (merged.length === 1 && typeof only === 'string') return { length, content: only }
  return { length, content: streamBody(merged, context) }
}

function mergeTexts(pieces: readonly BodyPiece[]): readonly BodyPiece[] {
  const merged: BodyPiece[] = []
  for (const piece of pieces) {
    const last = merged.at(-1)
    if (typeof piece === 'string' && typeof last === 'string') merged[merged.length - 1] = last + piece
    else merged.push(piece)
  }
  return merged
}

async function* streamBody(pieces: readonly BodyPiece[], context: BackendContext): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (typeof piece === 'string') yield Buffer.from(piece)
    else yield* encodeMedium(piece.part.media, context)
  }
}

async function* encodeMedium(digest: MediaDigest, context: BackendContext): AsyncGenerator<Uint8Array> {
  for await (const piece of readPieces(digest, context)) yield inBase64(piece)
}

/**
 * Reads a medium in pieces, each of which is valid until the next one. The last one is given only if the digest is right, so that no server receives a
 * complete damaged medium.
 *
 * @throws AttemptError `media` if it is missing or damaged
 */
export async function* readPieces(
  digest: MediaDigest,
  context: Pick<BackendContext, 'openMediaFile'>,
): AsyncGenerator<Buffer> {
  await using medium = await aboutMedium(digest, () => context.openMediaFile(digest))
  await using file = await aboutMedium(digest, () => open(medium.path))
  const { size } = await file.stat()
  const hash = streamingSha256<'media'>()
  const buffer = Buffer.allocUnsafe(Math.min(size, pieceBytes))
  for (let position = 0; position < size; position += pieceBytes) {
    const wanted = Math.min(pieceBytes, size - position)
    const { bytesRead } = await file.read(buffer, 0, wanted, position)
    const piece = buffer.subarray(0, bytesRead)
    hash.update(piece)
    if (position + pieceBytes >= size && hash.digest() !== digest)
      throw makeMediaError(digest, 'is damaged in the store')
    yield piece
  }
}

function inBase64(bytes: Buffer): Buffer {
  const encoded = Buffer.allocUnsafe(base64Length(bytes.length))
  for (let start = 0, writtenBytes = 0; start < bytes.length; start += textBytes)
    writtenBytes += encoded.write(
      bytes.toString('base64', start, Math.min(start + textBytes, bytes.length)),
      writtenBytes,
      'latin1',
    )
  return encoded
}

async function aboutMedium<T>(digest: MediaDigest, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // The store cannot be used at all.
    if (error instanceof PipelineError) throw error
    throw makeMediaError(digest, messageOf(error), error)
  }
}

/** Describes a medium of a format that the API does not take. Videos and documents are not converted. */
export const makeFormatError = (digest: MediaDigest, api: string, { kind, mime }: MediaType) =>
  makeMediaError(
    digest,
    `${api} does not take ${mime}${kind === 'image' || kind === 'audio' ? '. media=converted converts it' : ''}`,
  )

/** Describes a medium that cannot be sent. */
export const makeMediaError = (digest: MediaDigest, reason: string, cause?: unknown) =>
  new AttemptError('media', `medium ${digest}: ${reason}`, { isRetryable: false, cause })
