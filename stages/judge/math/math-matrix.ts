import { splitOutside } from './math-text.js'

const matrix =
  /^(?:[^=&\n]{1,40}=\s*)?[([]?\s*\\begin\{([bpvBV]?matrix|array)\}(?:\{[^{}]*\})?([\s\S]*)\\end\{\1\}\s*[)\]]?$/

/** The cells of a matrix, row by row, with its kind and the number of its columns before them; a determinant is of another kind than a matrix; undefined where it is none. */
export function matrixOf(text: string): readonly string[] | undefined {
  const [, kind = '', inner] = matrix.exec(text) ?? []
  if (inner === undefined) return undefined
  const rows = splitOutside(inner.trim().replace(/\\\\$/, ''), /\\\\/).map(row => splitOutside(row, /&/))
  return [/^v/i.test(kind) ? 'determinant' : 'matrix', String(rows[0]?.length), ...rows.flat()]
}
