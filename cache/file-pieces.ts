import { open } from 'node:fs/promises'
import { streamingSha256, type FileDigest } from './digest.js'

const readAtOnce = 2 ** 20

/** The bytes of a file from its beginning to its end, a piece at a time: each piece is overwritten by the next. */
export async function* filePieces(path: string): AsyncGenerator<Buffer> {
  await using file = await open(path)
  const { size } = await file.stat()
  const buffer = Buffer.allocUnsafeSlow(Math.max(1, Math.min(size, readAtOnce)))
  for (;;) {
    const { bytesRead } = await file.read(buffer)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** The digest of a file as it is now, whatever is remembered of it. */
export async function digestOfFile(path: string): Promise<FileDigest> {
  const hash = streamingSha256<'file'>()
  for await (const piece of filePieces(path)) hash.update(piece)
  return hash.digest()
}

/** A file was not the same at its end as at its beginning. */
export class ChangedFileError extends Error {
  override readonly name = 'ChangedFileError'

  constructor(path: string) {
    super(`${path} changed while it was read`)
  }
}
