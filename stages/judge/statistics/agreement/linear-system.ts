/** Small dense systems of linear equations. */

export type Matrix = readonly (readonly number[])[]

/** Solves A·x = b by Gaussian elimination with partial pivoting. */
export const solveSystem = (matrix: Matrix, right: readonly number[]): readonly number[] =>
  eliminate(
    matrix,
    right.map(value => [value]),
  ).map(row => row[0] ?? Number.NaN)

/** Inverts a matrix. */
export const invertMatrix = (matrix: Matrix): Matrix =>
  eliminate(
    matrix,
    matrix.map((_, i) => matrix.map((__, j) => (i === j ? 1 : 0))),
  )

/** Solves A·X = B for all columns of B at once. The result has NaN if the matrix is singular. */
function eliminate(matrix: Matrix, right: Matrix): Matrix {
  const n = matrix.length
  const rows = matrix.map((row, i) => [...row, ...(right[i] ?? [])])
  for (let column = 0; column < n; column++) {
    let best = column
    for (let i = column + 1; i < n; i++)
      if (Math.abs(rows[i]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = i
    const pivot = rows[best] ?? []
    rows[best] = rows[column] ?? []
    const scale = pivot[column] ?? 0
    rows[column] = pivot.map(value => value / scale)
    for (const [i, row] of rows.entries()) {
      const factor = row[column] ?? 0
      if (i !== column && factor !== 0) rows[i] = row.map((value, j) => value - factor * (rows[column]?.[j] ?? 0))
    }
  }
  return rows.map(row => row.slice(n))
}
