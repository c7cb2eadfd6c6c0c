/** Row numbers, which are dense: a bit for each up to the highest, where a Set of a million would take 40 MB. */
export class RowNumberSet {
  #bits = new Uint8Array(1024)

  /** @returns whether it was not in the set before. */
  add(number: number): boolean {
    const place = number >>> 3
    if (place >= this.#bits.length) this.#grow(place)
    const before = this.#bits[place] ?? 0
    const after = before | (1 << (number & 7))
    this.#bits[place] = after
    return after !== before
  }

  #grow(place: number): void {
    const larger = new Uint8Array(Math.max(place + 1, 2 * this.#bits.length))
    larger.set(this.#bits)
    this.#bits = larger
  }
}
