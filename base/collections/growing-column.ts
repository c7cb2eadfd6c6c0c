/** A list of numbers that grows by `push`. It needs little more than eight bytes per number. */
export interface GrowingColumn {
  readonly length: number
  push(value: number): void
  /** Returns the number at an index, or NaN if there is none. */
  readonly at: (index: number) => number
  /** Returns all numbers, valid until the next `push`. More than one chunk is copied. */
  values(): Float64Array
  /** Copies all numbers to the start of `target`, which must be large enough. @returns that part of `target` */
  copyTo(target: Float64Array): Float64Array
}

const chunkBits = 13
const chunkCells = 1 << chunkBits

export function growingColumn(): GrowingColumn {
  // Full chunks. An array that doubles would be half empty, and need three times its size while it grows.
  const chunks: Float64Array[] = []
  let cells = new Float64Array(16)
  let used = 0
  const count = (): number => (chunks.length << chunkBits) + used
  const copyTo = (target: Float64Array): Float64Array => {
    for (const [number, chunk] of chunks.entries()) target.set(chunk, number << chunkBits)
    target.set(cells.subarray(0, used), chunks.length << chunkBits)
    return target.subarray(0, count())
  }
  return {
    get length() {
      return count()
    },
    push(value) {
      if (used === chunkCells) {
        chunks.push(cells)
        cells = new Float64Array(chunkCells)
        used = 0
      } else if (used === cells.length) {
        const larger = new Float64Array(2 * used)
        larger.set(cells)
        cells = larger
      }
      cells[used++] = value
    },
    at: index => {
      const chunk = index >>> chunkBits
      const cell = index & (chunkCells - 1)
      if (chunk < chunks.length) return chunks[chunk]?.[cell] ?? NaN
      return chunk === chunks.length && cell < used ? (cells[cell] ?? NaN) : NaN
    },
    values: () => (chunks.length === 0 ? cells.subarray(0, used) : copyTo(new Float64Array(count()))),
    copyTo,
  }
}
