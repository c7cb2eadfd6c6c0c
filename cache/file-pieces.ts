import { open } from 'node:fs/promises'
import { expectFile } from '../base/files/files.js'
import { streamingSha256, type FileDigest } from './digest.js'

const readAtOnce = 2 ** 20

/**
 * Reads a file in pieces from beginning to end. Each piece is overwritten by the next.
 *
 * @throws FileError for a pipe or device: opening it may wait for ever
 */
export async function* filePieces(path: string): AsyncGenerator<Buffer> {
  await expectFile(path)
  await using file = await open(path)
  const { size } = await file.stat()
  const buffer = Buffer.allocUnsafeSlow(Math.max(1, Math.min(size, readAtOnce)))
  for (;;) {
    const { bytesRead } = await file.read(buffer)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** Passes a file on in pieces, each of which is overwritten by the next. @returns the digest of what was passed on */
export async function copyPieces(path: string, write: (piece: Uint8Array) => Promise<void>): Promise<FileDigest> {
  const hash = streamingSha256<'file'>()
  for await (const piece of filePieces(path)) {
    hash.update(piece)
    await write(piece)
  }
  return hash.digest()
}

/** Computes the digest of a file as it is now, without the file memo. */
export async function digestOfFile(path: string): Promise<FileDigest> {
  const hash = streamingSha256<'file'>()
  for await (const piece of filePieces(path)) hash.update(piece)
  return hash.digest()
}

/** The error for a file that changed while it was read. */
export class ChangedFileError extends Error {
  override readonly name = 'ChangedFileError'

  constructor(path: string) {
    super(`${path} changed while it was read`)
  }
}
