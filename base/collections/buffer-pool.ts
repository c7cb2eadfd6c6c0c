interface BufferRequest {
  readonly size: number
  readonly resolve: (buffer: Buffer) => void
}

/**
 * Large buffers that are used again. New ones cost more than what is done with most of them: pages that the system hands
 * out and takes back, and a collection of the whole heap after every few dozen.
 *
 * At most `limit` bytes are there at once, or one buffer of any size.
 */
export class BufferPool {
  readonly #limit: number
  readonly #idle = new Map<number, Buffer[]>()
  readonly #waiting: BufferRequest[] = []
  /** Of all buffers, out or idle. */
  #bytes = 0
  #out = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** A buffer of at least so many bytes, whatever is in it; whoever asks first has it first. */
  take(bytes: number): Promise<Buffer> {
    const size = pooledSize(bytes)
    if (this.#waiting.length === 0 && this.#hasRoom(size)) return Promise.resolve(this.#hand(size))
    return new Promise(resolve => this.#waiting.push({ size, resolve }))
  }

  /** Takes a buffer back that nobody reads or writes any more. */
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

/** A buffer that other threads can see: of memory that nobody touches, the system keeps none. */
export const newBuffer = (size: number): Buffer => Buffer.from(new SharedArrayBuffer(size))

const smallest = 4_096

/** A power of two, so that a few sizes serve all: of what is never written to, the system keeps nothing in memory. */
export const pooledSize = (bytes: number): number => Math.max(smallest, 2 ** Math.ceil(Math.log2(bytes)))
