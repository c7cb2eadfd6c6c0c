import { WorkBudget } from './work-budget.js'

/** A block has at least 4 bytes and becomes at most 128 KB, so that these bytes become at most 64 MB before the next ones are read. */
const pieceBytes = 2048

/**
 * Decompresses a Zstandard stream, piece by piece: a small input can become 30,000 times as much.
 *
 * @throws Error if the bytes are not Zstandard or end too early.
 */
export async function* unzstandard(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { Decompress } = await import('fzstd')
  const ready: Uint8Array[] = []
  const decompress = new Decompress(bytes => void ready.push(bytes))
  for await (const bytes of compressed)
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      decompress.push(bytes.subarray(at, at + pieceBytes))
      yield* ready.splice(0)
    }
  decompress.push(new Uint8Array(), true)
  yield* ready
}

/**
 * Decompresses bytes in Zstandard at once.
 *
 * @param most the maximum number of bytes of the result
 * @throws WorkBudgetError if it is longer
 */
export async function openZstandard(): Promise<(bytes: Uint8Array, most: number) => Uint8Array> {
  const { Decompress } = await import('fzstd')
  return (bytes, most) => {
    const budget = new WorkBudget({ steps: Infinity, bytes: most })
    const parts: Uint8Array[] = []
    const decompress = new Decompress(part => {
      budget.produce(part.length)
      parts.push(part)
    })
    for (let at = 0; at < bytes.length; at += pieceBytes)
      decompress.push(bytes.subarray(at, at + pieceBytes), at + pieceBytes >= bytes.length)
    return new Uint8Array(Buffer.concat(parts))
  }
}
