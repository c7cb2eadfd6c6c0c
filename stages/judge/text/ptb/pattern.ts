/** What a pattern of the lexer matches, as a tree. */
export type Pattern =
  | { readonly kind: 'one'; readonly set: string }
  | { readonly kind: 'all'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'any'; readonly choices: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly least: number; readonly most: number }

/**
 * Reads a pattern in the spelling of regular expressions: `( | )`, `[…]`, `? * + {m,n}` and `\` before a character. A letter
 * outside `[…]` stands for all of its cases; inside, for itself. Each `set` is a class that `RegExp` reads with the flag `u`.
 *
 * @throws Error where the pattern is malformed.
 */
export function readPattern(source: string): Pattern {
  const cursor: Cursor = { source, at: 0 }
  const pattern = readChoices(cursor)
  if (cursor.at < source.length) throw new Error(`unexpected ${source.charAt(cursor.at)} in ${source}`)
  return pattern
}

interface Cursor {
  readonly source: string
  at: number
}

const peek = ({ source, at }: Cursor): string => source.charAt(at)

function readChoices(cursor: Cursor): Pattern {
  const choices = [readSequence(cursor)]
  while (peek(cursor) === '|') {
    cursor.at++
    choices.push(readSequence(cursor))
  }
  const [only] = choices
  return choices.length === 1 && only !== undefined ? only : { kind: 'any', choices }
}

function readSequence(cursor: Cursor): Pattern {
  const parts: Pattern[] = []
  while (cursor.at < cursor.source.length && !'|)'.includes(peek(cursor))) parts.push(readRepeated(cursor))
  return { kind: 'all', parts }
}

function readRepeated(cursor: Cursor): Pattern {
  const part = readAtom(cursor)
  const repeat = (least: number, most: number): Pattern => ({ kind: 'repeat', part, least, most })
  const [sign = ''] = /^(?:[?*+]|\{\d+(?:,\d+)?\})/.exec(cursor.source.slice(cursor.at)) ?? []
  cursor.at += sign.length
  switch (sign) {
    case '':
      return part
    case '?':
      return repeat(0, 1)
    case '*':
      return repeat(0, Infinity)
    case '+':
      return repeat(1, Infinity)
    default: {
      const [least = 0, most = least] = sign.slice(1, -1).split(',').map(Number)
      return repeat(least, most)
    }
  }
}

function readAtom(cursor: Cursor): Pattern {
  const first = peek(cursor)
  if (first === '(') {
    cursor.at++
    const inner = readChoices(cursor)
    if (peek(cursor) !== ')') throw new Error(`( without ) in ${cursor.source}`)
    cursor.at++
    return inner
  }
  const [atom] =
    /^(?:\[(?:\\.|[^\]\\])+\]|\\u[0-9a-fA-F]{4}|\\.|[^?*+{}[\]])/.exec(cursor.source.slice(cursor.at)) ?? []
  if (atom === undefined) throw new Error(`unexpected ${first} in ${cursor.source}`)
  cursor.at += atom.length
  return { kind: 'one', set: /^[a-z]$/i.test(atom) ? `[${casesOf(atom.toLowerCase())}]` : atom }
}

const casesOf = (small: string): string => small + small.toUpperCase() + (moreCases.get(small) ?? '')

/** Capital i with its dot, the sign for Kelvin, long s. */
const moreCases = new Map([
  ['i', '\\u0130'],
  ['k', '\\u212a'],
  ['s', '\\u017f'],
])
