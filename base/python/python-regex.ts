/**
 * Translates Python regular expressions, which task files use, to JavaScript.
 *
 * It rewrites syntax that both languages have with different meanings: `\w`, `\d`, `\s`, `\b` cover all of Unicode, `.` excludes only the line
 * feed, and `$` also matches before a final line feed. It also translates `\A`, `\Z`, `(?P<name>…)`, `{,n}`, leading flags `(?ims)`, and escapes
 * and braces that Unicode mode would reject.
 */
import { whiteSpaceClass } from './white-space.js'

const word = '\\p{L}\\p{N}_'
const shorthand: Readonly<Record<string, string>> = { d: '\\p{Nd}', w: word, s: whiteSpaceClass }
const boundary: Readonly<Record<string, string>> = {
  b: `(?:(?<=[${word}])(?![${word}])|(?<![${word}])(?=[${word}]))`,
  B: `(?:(?<=[${word}])(?=[${word}])|(?<![${word}])(?![${word}]))`,
  A: '(?<![\\s\\S])',
  Z: '(?![\\s\\S])',
}

/**
 * Returns a JavaScript expression that matches what the Python `pattern` matches. `flags` may add `g`.
 *
 * @throws SyntaxError if the pattern is invalid, or needs a feature that JavaScript lacks (atomic groups, conditionals).
 */
export function pythonRegex(pattern: string, flags = ''): RegExp {
  const leading = /^\(\?([aimsux]+)\)/.exec(pattern)
  const python = leading?.[1] ?? ''
  if (python.includes('x')) throw new SyntaxError('verbose patterns, (?x), are not supported')
  const mode = { multiline: python.includes('m'), dotAll: python.includes('s') }
  const source = translate(pattern.slice(leading?.[0].length ?? 0), mode)
  return new RegExp(source, `u${python.includes('i') ? 'i' : ''}${flags}`)
}

interface Mode {
  readonly multiline: boolean
  readonly dotAll: boolean
}

function translate(pattern: string, mode: Mode): string {
  let out = ''
  let i = 0
  while (i < pattern.length) {
    const rest = pattern.slice(i)
    const [read, written] = rest.startsWith('[') ? classAt(rest) : atomAt(rest, mode)
    out += written
    i += read
  }
  return out
}

/** The length of the next element and its translation. */
type Step = readonly [read: number, written: string]

function atomAt(rest: string, { multiline, dotAll }: Mode): Step {
  const first = rest.charAt(0)
  if (first === '\\') return escapeAt(rest)
  if (rest.startsWith('(?P<')) return [4, '(?<']
  const backReference = /^\(\?P=(\w+)\)/.exec(rest)
  if (backReference) return [backReference[0].length, `\\k<${backReference[1] ?? ''}>`]
  if (first === '$') return [1, multiline ? '(?=\\n|(?![\\s\\S]))' : '(?=\\n?(?![\\s\\S]))']
  if (first === '^') return [1, multiline ? '(?<![^\\n])' : '^']
  if (first === '.') return [1, dotAll ? '[^]' : '[^\\n]']
  if (first === '{') {
    const quantifier = /^\{(\d*)(,\d*)?\}/.exec(rest)
    if (!quantifier || quantifier[0] === '{}' || quantifier[0] === '{,}') return [1, '\\{']
    return [quantifier[0].length, `{${quantifier[1] === '' ? '0' : (quantifier[1] ?? '')}${quantifier[2] ?? ''}}`]
  }
  if (first === '}' || first === ']') return [1, `\\${first}`]
  return [1, first]
}

function escapeAt(rest: string): Step {
  const letter = rest.charAt(1)
  const known = boundary[letter]
  if (known !== undefined) return [2, known]
  const positive = shorthand[letter.toLowerCase()]
  if (positive !== undefined) return [2, letter === letter.toLowerCase() ? `[${positive}]` : `[^${positive}]`]
  return literalEscape(rest, /[\^$\\.*+?()[\]{}|/]/)
}

function literalEscape(rest: string, mustStayEscaped: RegExp): Step {
  const letter = rest.charAt(1)
  if (letter === 'a') return [2, '\\x07']
  if (letter === 'U') return [10, `\\u{${rest.slice(2, 10)}}`]
  if (/[0-9a-zA-Z]/.test(letter)) return [2, `\\${letter}`]
  return [2, mustStayEscaped.test(letter) ? `\\${letter}` : letter]
}

/** Translates a character class. In Unicode mode it cannot contain a negated set, so `[\W_]` becomes an alternative. */
function classAt(rest: string): Step {
  const negated = rest.charAt(1) === '^'
  let i = negated ? 2 : 1
  const start = i
  let members = ''
  const others: string[] = []
  while (i < rest.length && (rest.charAt(i) !== ']' || i === start)) {
    const letter = rest.charAt(i + 1)
    const set = rest.charAt(i) === '\\' ? shorthand[letter.toLowerCase()] : undefined
    if (set !== undefined && letter !== letter.toLowerCase()) others.push(`[^${set}]`)
    const [read, written] =
      set === undefined ? memberAt(rest.slice(i)) : [2, letter === letter.toLowerCase() ? set : '']
    members += written
    i += read
  }
  if (i >= rest.length) throw new SyntaxError('unterminated character class')
  const alternatives = [...(members === '' ? [] : [`[${members}]`]), ...others].join('|')
  if (others.length === 0) return [i + 1, `[${negated ? '^' : ''}${members}]`]
  return [i + 1, negated ? `(?:(?!${alternatives})[^])` : `(?:${alternatives})`]
}

function memberAt(rest: string): Step {
  const first = rest.charAt(0)
  if (first !== '\\') return [1, first === '[' || first === ']' ? `\\${first}` : first]
  if (rest.charAt(1) === 'b') return [2, '\\x08']
  return literalEscape(rest, /[\^$\\.*+?()[\]{}|/-]/)
}
