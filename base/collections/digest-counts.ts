/** The part of a digest that tells entries apart: the most bits that a number holds exactly. */
const digits = 13

/**
 * Counts things by their digest. An entry takes 12 bytes outside the JavaScript heap, at a load of at most one half, so
 * a million take about 50 MB at worst. Two digests with the same first 52 bits count as one.
 */
export class DigestCounts {
  #keys = new Float64Array(1024)
  #counts = new Uint32Array(1024)
  #entries = 0

  /**
   * Adds to a count.
   *
   * @param digest hexadecimal digits, at least 13 of them after an optional `sha256:`
   * @returns the count before
   */
  add(digest: string, number: number): number {
    const slot = this.#slot(digest)
    const before = this.#counts[slot] ?? 0
    this.#counts[slot] = before + number
    return before
  }

  /** Raises a count to a number that it does not reach. @returns the count before */
  raise(digest: string, number: number): number {
    const slot = this.#slot(digest)
    const before = this.#counts[slot] ?? 0
    this.#counts[slot] = Math.max(before, number)
    return before
  }

  /** Returns the slot of a digest, which is made if it has none. */
  #slot(digest: string): number {
    if (2 * this.#entries >= this.#keys.length) this.#grow()
    const key = computeKey(digest)
    const slot = findSlot(this.#keys, key)
    if (this.#keys[slot] === 0) this.#entries++
    this.#keys[slot] = key
    return slot
  }

  #grow(): void {
    const [keys, counts] = [this.#keys, this.#counts]
    this.#keys = new Float64Array(2 * keys.length)
    this.#counts = new Uint32Array(2 * keys.length)
    for (const [old, key] of keys.entries()) {
      if (key === 0) continue
      const slot = findSlot(this.#keys, key)
      this.#keys[slot] = key
      this.#counts[slot] = counts[old] ?? 0
    }
  }
}

/** Never 0, which marks an empty slot. */
function computeKey(digest: string): number {
  const start = digest.startsWith('sha256:') ? 'sha256:'.length : 0
  return Number.parseInt(digest.slice(start, start + digits), 16) + 1
}

/** Finds the slot of a key, or the empty one where it belongs. The number of slots is a power of two. */
function findSlot(keys: Float64Array, key: number): number {
  let slot = key % keys.length
  while (keys[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) % keys.length
  return slot
}
