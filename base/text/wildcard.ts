import { escapePattern } from './escape-pattern.js'

/**
 * Compiles a shell pattern with `*`, `?`, `[abc]` and `[!a-c]`, as Python's `fnmatch`. It is case-sensitive.
 *
 * The time of a match grows with the product of the two lengths. The part after a `*` is matched at its first position and never again (`(?=(…))\1`
 * is an atomic group). Any later position leaves less text to match, so no match is lost. Otherwise, a pattern such as `*?*?*?*?!` would run for
 * hours.
 */
export function wildcard(pattern: string): RegExp {
  const parts = pattern.match(/\[(!?)(\]?[^\]]*)\]|[\s\S]/g) ?? []
  const between: string[] = ['']
  for (const part of parts) {
    if (part === '*') between.push('')
    else between.push((between.pop() ?? '') + source(part))
  }
  const [first = '', ...later] = between
  const last = later.pop()
  const groups = later.map((text, index) =>
    text === '' ? '' : `(?=([\\s\\S]*?${text}))(?:\\${computeGroupNumber(later, index)})`,
  )
  return new RegExp(`^${first}${groups.join('')}${last === undefined ? '' : `[\\s\\S]*${last}`}$`, 'u')
}

/** The number of the group for a text. Empty texts, as between two `*`, have none. */
const computeGroupNumber = (texts: readonly string[], index: number): number =>
  texts.slice(0, index + 1).filter(text => text !== '').length

function source(part: string): string {
  if (part === '?') return '[\\s\\S]'
  const [, not, set] = /^\[(!?)(\]?[^\]]*)\]$/.exec(part) ?? []
  if (set === undefined) return escapePattern(part)
  const present = withoutEmptyRanges(set)
  if (present === '') return not === '!' ? '[\\s\\S]' : '(?!)'
  return `[${not === '!' ? '^' : ''}${present.replace(/[\\^\]]/g, '\\$&').replace(/^\\\^/, '\\^')}]`
}

/** `z-a` contains nothing. */
const withoutEmptyRanges = (set: string): string =>
  set.replace(/([\s\S])-([\s\S])/gu, (range, from: string, to: string) =>
    (from.codePointAt(0) ?? 0) > (to.codePointAt(0) ?? 0) ? '' : range,
  )

/** Returns whether a name is a shell pattern. */
export const isWildcard = (name: string): boolean =>
  /[*?]/.test(name) ||
  // The parts before each closing bracket. A pattern with `[` would search from each opening one to the end.
  name
    .split(']')
    .slice(0, -1)
    .some(part => part.includes('[') && part.indexOf('[') < part.length - 1)
