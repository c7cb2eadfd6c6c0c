/** Numbers that are added one by one, at eight bytes each. */
export interface GrowingColumn {
  push(value: number): void
  /** A view, good until the next `push`. */
  values(): Float64Array
}

export function growingColumn(): GrowingColumn {
  let cells = new Float64Array(16)
  let length = 0
  return {
    push(value) {
      if (length === cells.length) {
        const larger = new Float64Array(2 * length)
        larger.set(cells)
        cells = larger
      }
      cells[length++] = value
    },
    values: () => cells.subarray(0, length),
  }
}
