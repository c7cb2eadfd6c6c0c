const chunkBytes = 1 << 20

/**
 * Texts as UTF-8, side by side in a few large buffers that are used again. An array of its own for each text would cost
 * more, in memory management, than all the rest of writing a file.
 */
export class TextArena {
  readonly #chunks: Buffer[] = []
  #chunk = -1
  #used = chunkBytes

  /** @returns a view, good until the next {@link clear} */
  encode(text: string): Uint8Array {
    // No UTF-16 unit becomes more than three bytes.
    const room = text.length * 3
    if (room > chunkBytes) return Buffer.from(text)
    if (this.#used + room > chunkBytes) {
      this.#chunk += 1
      this.#used = 0
    }
    const chunk = (this.#chunks[this.#chunk] ??= Buffer.allocUnsafeSlow(chunkBytes))
    const start = this.#used
    this.#used += chunk.write(text, start)
    return chunk.subarray(start, this.#used)
  }

  clear(): void {
    this.#chunk = -1
    this.#used = chunkBytes
  }
}
