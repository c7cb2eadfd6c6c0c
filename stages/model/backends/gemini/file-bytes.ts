import { open } from 'node:fs/promises'
import { messageOf } from '../../../../base/errors.js'
import { streamingSha256, type MediaDigest } from '../../../../cache/digest.js'
import { AttemptError } from '../../define-backend.js'

const pieceBytes = 256 * 1024

/** A medium's bytes from a place on. The last piece comes only when the digest of all is right. */
export async function* fileBytes(digest: MediaDigest, path: string, offset: number): AsyncGenerator<Uint8Array> {
  await using file = await opened(digest, path)
  const { size } = await file.stat()
  const hash = streamingSha256<'media'>()
  for (let position = 0; position < size; position += pieceBytes) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, position)
    const piece = buffer.subarray(0, bytesRead)
    hash.update(piece)
    if (position + pieceBytes >= size && hash.digest() !== digest) throw broken(digest, 'is damaged in the store')
    const unsent = piece.subarray(Math.max(0, offset - position))
    if (unsent.length > 0) yield unsent
  }
}

async function opened(digest: MediaDigest, path: string) {
  try {
    return await open(path)
  } catch (error) {
    throw broken(digest, messageOf(error), error)
  }
}

const broken = (digest: MediaDigest, reason: string, cause?: unknown) =>
  new AttemptError('media', `medium ${digest}: ${reason}`, { isRetryable: false, cause })
