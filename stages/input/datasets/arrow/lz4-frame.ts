/**
 * Decompresses an LZ4 frame of an Arrow file. Checksums are not verified. Each byte becomes at most 255, so that the work is linear.
 *
 * Source: the LZ4 frame format 1.6.4 and block format.
 *
 *
 * @throws Error if the bytes are not an LZ4 frame, or are truncated
 */
export function readLz4Frame(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.byteLength < 7 || view.getUint32(0, true) !== 0x184d2204) throw new Error('not an LZ4 frame')
  const flags = view.getUint8(4)
  const [hasChecksums, hasSize, hasDictionary] = [0x10, 0x08, 0x01].map(bit => (flags & bit) !== 0)
  let at = 7 + (hasSize === true ? 8 : 0) + (hasDictionary === true ? 4 : 0)
  const output = new GrowingBytes()
  for (;;) {
    const size = view.getUint32(at, true)
    at += 4
    if (size === 0) return output.bytes()
    const block = bytes.subarray(at, at + (size & 0x7fffffff))
    if (block.byteLength < (size & 0x7fffffff)) throw new Error('an LZ4 frame that is cut short')
    // The highest bit means that the block is stored uncompressed.
    if (size >>> 31 === 1) output.append(block)
    else readBlock(block, output)
    at += block.byteLength + (hasChecksums === true ? 4 : 0)
  }
}

/** Decodes a block: sequences of literals, each followed by a copy of earlier output. */
function readBlock(block: Uint8Array, output: GrowingBytes): void {
  let at = 0
  const byte = (): number => {
    const value = block[at++]
    if (value === undefined) throw new Error('an LZ4 block that is cut short')
    return value
  }
  const length = (start: number): number => {
    let total = start
    if (start === 15)
      for (let more = 255; more === 255;) {
        more = byte()
        total += more
      }
    return total
  }
  while (at < block.byteLength) {
    const token = byte()
    const literals = length(token >>> 4)
    if (at + literals > block.byteLength) throw new Error('an LZ4 block that is cut short')
    output.append(block.subarray(at, (at += literals)))
    if (at >= block.byteLength) return
    const offset = byte() | (byte() << 8)
    output.repeat(offset, length(token & 15) + 4)
  }
}

/** A byte array that grows, because the size of the output is unknown. */
class GrowingBytes {
  #buffer = new Uint8Array(1 << 16)
  #length = 0

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.byteLength)
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.byteLength
  }

  /** Appends bytes from `offset` bytes back. The range may overlap the bytes that are being appended. */
  repeat(offset: number, count: number): void {
    if (offset === 0 || offset > this.#length) throw new Error('an LZ4 block that is damaged')
    this.#reserve(count)
    const from = this.#length - offset
    if (offset >= count) this.#buffer.copyWithin(this.#length, from, from + count)
    else
      for (let index = 0; index < count; index++) this.#buffer[this.#length + index] = this.#buffer[from + index] ?? 0
    this.#length += count
  }

  bytes(): Uint8Array {
    return this.#buffer.slice(0, this.#length)
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#buffer.byteLength) return
    const larger = new Uint8Array(Math.max(2 * this.#buffer.byteLength, this.#length + count))
    larger.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = larger
  }
}
