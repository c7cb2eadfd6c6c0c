/** Translates the characters, escapes and character classes of Python regular expressions. */
import { whiteSpaceClass } from './white-space.js'

/** The flags in effect at a position of the pattern. */
export interface Mode {
  readonly ascii: boolean
  readonly dotAll: boolean
  /** True if letters are widened to classes of both cases. False if a flag of the whole expression does that. */
  readonly folded: boolean
  readonly multiline: boolean
  readonly verbose: boolean
}

const makeBoundaries = (word: string): Readonly<Record<string, string>> => ({
  b: `(?:(?<=[${word}])(?![${word}])|(?<![${word}])(?=[${word}]))`,
  B: `(?:(?<=[${word}])(?=[${word}])|(?<![${word}])(?![${word}]))`,
  A: '(?<![\\s\\S])',
  Z: '(?![\\s\\S])',
})
const word = '\\p{L}\\p{N}_'
const shorthand: Readonly<Record<string, string>> = { d: '\\p{Nd}', w: word, s: whiteSpaceClass }
const boundary = makeBoundaries(word)
/** With the flag `a` these cover ASCII alone. */
const asciiShorthand: Readonly<Record<string, string>> = { d: '0-9', w: 'a-zA-Z0-9_', s: ' \\t-\\r' }
const asciiBoundary = makeBoundaries('a-zA-Z0-9_')

/** The length of the next element, its translation, and whether it is one character that has a case. */
type Step = readonly [read: number, written: string, isLiteral?: boolean]

export function atomAt(rest: string, mode: Mode): Step {
  const { multiline, dotAll } = mode
  const first = String.fromCodePoint(rest.codePointAt(0) ?? 0)
  if (first === '\\') return escapeAt(rest, mode)
  if (first === '$') return [1, multiline ? '(?=\\n|(?![\\s\\S]))' : '(?=\\n?(?![\\s\\S]))']
  if (first === '^') return [1, multiline ? '(?<![^\\n])' : '^']
  if (first === '.') return [1, dotAll ? '[^]' : '[^\\n]']
  if (first === '{') return [1, '\\{', true]
  if (first === '}' || first === ']') return [1, `\\${first}`, true]
  return [first.length, first, first !== '|']
}

function escapeAt(rest: string, { ascii }: Mode): Step {
  const letter = rest.charAt(1)
  const boundaryPattern = (ascii ? asciiBoundary : boundary)[letter]
  if (boundaryPattern !== undefined) return [2, boundaryPattern]
  const positive = (ascii ? asciiShorthand : shorthand)[letter.toLowerCase()]
  if (positive !== undefined) return [2, letter === letter.toLowerCase() ? `[${positive}]` : `[^${positive}]`]
  const [read, source] = literalEscape(rest, /[\^$\\.*+?()[\]{}|/]/)
  return [read, source, true]
}

function literalEscape(rest: string, mustStayEscaped: RegExp): Step {
  const letter = rest.charAt(1)
  if (letter === 'a') return [2, '\\x07']
  const code = /^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(rest)
  if (code !== null) return [code[0].length, `\\u{${code[1] ?? code[2] ?? code[3] ?? ''}}`]
  if (/[0-9a-zA-Z]/.test(letter)) return [2, `\\${letter}`]
  return [2, mustStayEscaped.test(letter) ? `\\${letter}` : letter]
}

/** Translates a character class. In Unicode mode it cannot contain a negated set, so `[\W_]` becomes an alternative. */
export function classAt(rest: string, { ascii }: Mode): Step {
  const sets = ascii ? asciiShorthand : shorthand
  const negated = rest.charAt(1) === '^'
  let i = negated ? 2 : 1
  const start = i
  let members = ''
  const negatedSets: string[] = []
  while (i < rest.length && (rest.charAt(i) !== ']' || i === start)) {
    const letter = rest.charAt(i + 1)
    const set = rest.charAt(i) === '\\' ? sets[letter.toLowerCase()] : undefined
    if (set !== undefined && letter !== letter.toLowerCase()) negatedSets.push(`[^${set}]`)
    const [read, source] = set === undefined ? memberAt(rest.slice(i)) : [2, letter === letter.toLowerCase() ? set : '']
    members += source
    i += read
  }
  if (i >= rest.length) throw new SyntaxError('unterminated character class')
  const alternatives = [...(members === '' ? [] : [`[${members}]`]), ...negatedSets].join('|')
  if (negatedSets.length === 0) return [i + 1, `[${negated ? '^' : ''}${members}]`]
  return [i + 1, negated ? `(?:(?!${alternatives})[^])` : `(?:${alternatives})`]
}

function memberAt(rest: string): Step {
  const first = rest.charAt(0)
  if (first !== '\\') return [1, first === '[' || first === ']' ? `\\${first}` : first]
  if (rest.charAt(1) === 'b') return [2, '\\x08']
  return literalEscape(rest, /[\^$\\.*+?()[\]{}|/-]/)
}
