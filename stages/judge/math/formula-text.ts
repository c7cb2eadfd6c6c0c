/** The text of a formula, read from left to right. */
export interface FormulaText {
  /** The match of a sticky pattern at the place reached, which is then passed with the white space behind it. */
  take(pattern: RegExp): string | undefined
  /** Whether a sticky pattern matches at the place reached. */
  sees(pattern: RegExp): boolean
  /** What the pattern takes, or the formula can't be read. */
  expect(pattern: RegExp): string
  isAtEnd(): boolean
  /** Reads what lies within brackets. Too many within each other can't be read. */
  inside<T>(read: () => T): T
}

/** A text that is no formula of the kind that is read here. */
export class Unreadable extends Error {}

const white =
  /(?:\s|\\[,!;: ]|~|\\(?:quad|qquad|displaystyle|limits|nolimits|bigl|bigr|big|Big|left|right)(?![a-zA-Z]))*/y

const deepest = 100

/** @throws {Unreadable} from what reads it, where the text is no formula. */
export function formulaText(text: string): FormulaText {
  let at = 0
  let depth = 0
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  const take = (pattern: RegExp): string | undefined => {
    const found = match(pattern)
    if (found === undefined) return undefined
    at += found.length
    at += match(white)?.length ?? 0
    return found
  }
  take(white)
  return {
    take,
    sees: pattern => match(pattern) !== undefined,
    expect(pattern) {
      const found = take(pattern)
      if (found === undefined) throw new Unreadable(`${pattern.source} is missing at ${String(at)}`)
      return found
    },
    isAtEnd: () => at >= text.length,
    inside(read) {
      depth += 1
      if (depth > deepest) throw new Unreadable('brackets within brackets, too deep')
      const value = read()
      depth -= 1
      return value
    },
  }
}
