/** Decompresses a Zstandard stream. @throws Error if the bytes are not Zstandard or end too early. */
export async function* unzstandard(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { Decompress } = await import('fzstd')
  const ready: Uint8Array[] = []
  const decompress = new Decompress(bytes => void ready.push(bytes))
  for await (const bytes of compressed) {
    decompress.push(bytes)
    yield* ready.splice(0)
  }
  decompress.push(new Uint8Array(), true)
  yield* ready
}
