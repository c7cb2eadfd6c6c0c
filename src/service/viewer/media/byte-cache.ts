/** Keeps the most recently used results, up to a number of bytes. Concurrent callers share one call; failures are not kept. */
export class ByteCache {
  readonly #most: number
  readonly #known = new Map<string, Uint8Array<ArrayBuffer>>()
  readonly #making = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  async get(key: string, make: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = this.#known.get(key)
    if (bytes !== undefined) {
      this.#known.delete(key)
      this.#known.set(key, bytes)
      return bytes
    }
    const making = this.#making.get(key) ?? this.#make(key, make)
    return making
  }

  #make(key: string, make: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
    const making = make()
      .then(bytes => {
        this.#keep(key, bytes)
        return bytes
      })
      .finally(() => this.#making.delete(key))
    this.#making.set(key, making)
    return making
  }

  #keep(key: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.#known.set(key, bytes)
    this.#bytes += bytes.byteLength
    for (const [oldest, { byteLength }] of this.#known) {
      if (this.#bytes <= this.#most) return
      this.#known.delete(oldest)
      this.#bytes -= byteLength
    }
  }
}
