import { splitOutside } from './math-text.js'

/** A chain such as `a < b ≤ c`: its sides and its signs. */
export interface Relation {
  readonly sides: readonly string[]
  readonly signs: readonly string[]
}

const sign = /=|<|>|\\(?:leq|geq|neq?|approx|in)(?![a-zA-Z])|≈|∈|≠/

const plainSigns: Readonly<Record<string, string>> = {
  '\\approx': '=',
  '≈': '=',
  '\\in': '=',
  '∈': '=',
  '\\ne': '\\neq',
  '≠': '\\neq',
}

/**
 * Reads a relation. Undefined if no sign is outside all brackets, a side is empty, or commas separate several
 * parts.
 */
export function parseRelation(text: string): Relation | undefined {
  const sides = splitOutside(text, sign)
  if (sides.length < 2 || sides.includes('') || splitOutside(text, /[,;]/).length > 1) return undefined
  const signs = Array.from(outsideSigns(text, sides), ownSign => plainSigns[ownSign] ?? ownSign)
  return { sides, signs }
}

function outsideSigns(text: string, sides: readonly string[]): readonly string[] {
  const signs: string[] = []
  let at = 0
  for (const side of sides.slice(0, -1)) {
    at = text.indexOf(side, at) + side.length
    const pattern = new RegExp(`\\s*(${sign.source})`, 'y')
    pattern.lastIndex = at
    const [whole = '', own = ''] = pattern.exec(text) ?? []
    signs.push(own)
    at += whole.length
  }
  return signs
}

export const isEquation = ({ signs }: Relation): boolean => signs.every(ownSign => ownSign === '=')

/** Returns whether a relation assigns a value to a name, a function of names or a tuple of names. */
export const isAssignment = (relation: Relation): boolean =>
  isEquation(relation) && names.test((relation.sides[0] ?? '').trim())

const name = '\\\\?[a-zA-Z]+(?:_\\{?\\w+\\}?)?(?:\\([a-zA-Z, ]+\\))?'
const names = new RegExp(`^\\(?${name}(?:[\\s,]+${name})*\\)?$`)

export const lastSide = ({ sides }: Relation): string => sides.at(-1) ?? ''

/** The value that a relation gives a name, as in `x = 7` and `7 = x`. Undefined if it is no assignment. */
export function assignedValue(relation: Relation): string | undefined {
  if (isAssignment(relation)) return lastSide(relation)
  const reversed = reverseRelation(relation)
  return isAssignment(reversed) ? lastSide(reversed) : undefined
}

const mirrored: Readonly<Record<string, string>> = { '<': '>', '>': '<', '\\leq': '\\geq', '\\geq': '\\leq' }

/** The relation read from right to left. */
export const reverseRelation = ({ sides, signs }: Relation): Relation => ({
  sides: [...sides].reverse(),
  signs: [...signs].reverse().map(ownSign => mirrored[ownSign] ?? ownSign),
})

const matrix =
  /^(?:[^=&\n]{1,40}=\s*)?[([]?\s*\\begin\{([bpvBV]?matrix|smallmatrix|array)\}(?:\{[^{}]*\})?([\s\S]*)\\end\{\1\}\s*[)\]]?$/

/**
 * The cells of a matrix, row by row, after its kind and its number of columns. A determinant is of another kind
 * than a matrix. Undefined if the text is neither.
 */
export function parseMatrix(text: string): readonly string[] | undefined {
  const [, kind = '', inner] = matrix.exec(text) ?? []
  if (inner === undefined) return undefined
  const rows = splitOutside(inner.trim().replace(/\\\\$/, ''), /\\\\(?:\[-?[\d.]+\s*[a-z]+\])?|\\cr(?![a-zA-Z])/).map(
    row => splitOutside(row, /&/),
  )
  return [/^v/i.test(kind) ? 'determinant' : 'matrix', String(rows[0]?.length), ...rows.flat()]
}
