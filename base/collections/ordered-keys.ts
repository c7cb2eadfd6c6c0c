/** Finds the positions of keys. Lookups in the order of insertion need no table. */
export class OrderedKeys {
  readonly #keys: string[] = []
  #positions: Map<string, number> | undefined
  #next = 0

  /** Adds a key that is not there yet, at the next position from 0. */
  add(key: string): void {
    this.#positions?.set(key, this.#keys.length)
    this.#keys.push(key)
  }

  /** Returns the position of a key, or undefined if it was not added. */
  find(key: string): number | undefined {
    if (this.#keys[this.#next] !== key) {
      this.#positions ??= new Map(this.#keys.map((each, at) => [each, at]))
      const position = this.#positions.get(key)
      if (position === undefined) return undefined
      this.#next = position
    }
    return this.#next++
  }
}
