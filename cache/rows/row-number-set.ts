/** A set of row numbers, which are dense. It takes a bit for each number. A Set of a million numbers would take 40 MB. */
export class RowNumberSet {
  #bits = new Uint8Array(1024)

  /** @returns whether the number was not in the set before */
  add(number: number): boolean {
    const byteIndex = number >>> 3
    if (byteIndex >= this.#bits.length) this.#grow(byteIndex)
    const before = this.#bits[byteIndex] ?? 0
    const after = before | (1 << (number & 7))
    this.#bits[byteIndex] = after
    return after !== before
  }

  #grow(byteIndex: number): void {
    const larger = new Uint8Array(Math.max(byteIndex + 1, 2 * this.#bits.length))
    larger.set(this.#bits)
    this.#bits = larger
  }
}
