/** Joins keys into sets (union-find), such as docs into clusters. A key that was never joined is a separate set, and takes no memory. */
export class DisjointSets<Key> {
  readonly #parents = new Map<Key, Key>()

  /** True if no two keys were joined. */
  get isEmpty(): boolean {
    return this.#parents.size === 0
  }

  /** Puts the sets of all these keys together. */
  join([first, ...otherKeys]: readonly Key[]): void {
    if (first === undefined) return
    for (const other of otherKeys) {
      const [root, joined] = [this.find(first), this.find(other)]
      if (root !== joined) this.#parents.set(joined, root)
    }
  }

  /** Returns the representative of a key's set. It is the same for all keys of a set, until sets are joined again. */
  find(key: Key): Key {
    let root = key
    for (let parent = this.#parents.get(root); parent !== undefined; parent = this.#parents.get(root)) root = parent
    // Later searches from any key on the way need one step.
    for (let at = key; at !== root;) {
      const parent = this.#parents.get(at) ?? root
      this.#parents.set(at, root)
      at = parent
    }
    return root
  }
}
