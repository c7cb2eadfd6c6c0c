const lineFeed = 10

/** Splits a stream of bytes into lines. A line of many megabytes arrives in many pieces, which are joined once. */
export class LineReader {
  #pieces: Buffer[] = []
  readonly #take: (line: string) => void

  constructor(take: (line: string) => void) {
    this.#take = take
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      const piece = chunk.subarray(start, end)
      start = end + 1
      if (this.#pieces.length === 0) this.#take(piece.toString('utf8'))
      else this.#take(Buffer.concat([...this.#takePieces(), piece]).toString('utf8'))
    }
    if (start < chunk.length) this.#pieces.push(chunk.subarray(start))
  }

  /** Passes on a last line without a line feed. */
  end(): void {
    if (this.#pieces.length > 0) this.#take(Buffer.concat(this.#takePieces()).toString('utf8'))
  }

  #takePieces(): Buffer[] {
    const pieces = this.#pieces
    this.#pieces = []
    return pieces
  }
}
