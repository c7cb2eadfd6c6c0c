import { open } from 'node:fs/promises'

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
