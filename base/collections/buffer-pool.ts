interface BufferRequest {
  readonly size: number
  readonly resolve: (buffer: Buffer) => void
}

/**
 * A pool of large buffers that are reused. Allocating new ones costs more than most work on them: the system allocates and frees their pages, and
 * every few dozen cause a full garbage collection.
 *
 * The pool holds at most `limit` bytes, or one buffer of any size.
 */
export class BufferPool {
  readonly #limit: number
  readonly #idle = new Map<number, Buffer[]>()
  readonly #waiting: BufferRequest[] = []
  /** The bytes of all buffers, in use or idle. */
  #bytes = 0
  #out = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Returns a buffer of at least `bytes` bytes with undefined content. Callers are served in the order of their calls. */
  take(bytes: number): Promise<Buffer> {
    const size = pooledSize(bytes)
    if (this.#waiting.length === 0 && this.#hasRoom(size)) return Promise.resolve(this.#hand(size))
    return new Promise(resolve => this.#waiting.push({ size, resolve }))
  }

  /** Returns a buffer to the pool. Nobody may read or write it any more. */
  giveBack(buffer: Buffer): void {
    const { length: size } = buffer
    this.#out -= size
    const sameSize = this.#idle.get(size)
    if (sameSize === undefined) this.#idle.set(size, [buffer])
    else sameSize.push(buffer)
    for (let next = this.#waiting[0]; next !== undefined && this.#hasRoom(next.size); next = this.#waiting[0]) {
      this.#waiting.shift()
      next.resolve(this.#hand(next.size))
    }
  }

  #hasRoom(size: number): boolean {
    return this.#out === 0 || this.#out + size <= this.#limit
  }

  #hand(size: number): Buffer {
    this.#out += size
    const idle = this.#idle.get(size)?.pop()
    if (idle !== undefined) return idle
    for (const [otherSize, buffers] of this.#idle) {
      while (this.#bytes + size > this.#limit && buffers.pop() !== undefined) this.#bytes -= otherSize
    }
    this.#bytes += size
    return newBuffer(size)
  }
}

/** Allocates a buffer that other threads can see. The system uses no memory for pages that are never written. */
export const newBuffer = (size: number): Buffer => Buffer.from(new SharedArrayBuffer(size))

const smallest = 4_096

/** Rounds up to a power of two, so that a few sizes serve all callers. Unwritten pages use no memory. */
export const pooledSize = (bytes: number): number => Math.max(smallest, 2 ** Math.ceil(Math.log2(bytes)))
