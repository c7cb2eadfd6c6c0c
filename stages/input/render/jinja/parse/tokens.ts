import { leadingSpace, trailingSpace } from '../text-parts.js'

interface Token {
  readonly type: 'text' | 'begin' | 'end' | 'name' | 'string' | 'integer' | 'float' | 'operator' | 'eof'
  /** A string's value is unescaped. The value of `begin` and `end` is the delimiter without `-` and `+`. */
  readonly value: string
  readonly line: number
}

/**
 * Splits a template into tokens, as Python's Jinja does with its defaults.
 * @throws Error with the line of what cannot be read.
 */
export function tokenize(template: string): readonly Token[] {
  const source = template.replace(/\r\n|\r/g, '\n').replace(/\n$/, '')
  const tokens: Token[] = []
  const lineAt = (offset: number): number => source.slice(0, offset).split('\n').length
  let at = 0
  // Set where the delimiter before ends with a minus, which removes the white space that follows.
  let isTrimmed = false
  while (at < source.length) {
    const opening = readOpening(source, at)
    const text = source.slice(at, opening?.at ?? source.length)
    const led = isTrimmed ? text.replace(leadingSpace, '') : text
    const shownText = opening?.sign === '-' ? led.replace(trailingSpace, '') : led
    if (shownText !== '') tokens.push({ type: 'text', value: shownText, line: lineAt(at) })
    if (opening === undefined) break
    const part = { source, start: opening.at, from: opening.inner, line: lineAt(opening.at) }
    const read = readers[opening.kind](part, tokens)
    at = read.end
    isTrimmed = read.isTrimming
  }
  return [...tokens, { type: 'eof', value: '', line: lineAt(source.length) }]
}

interface Part {
  readonly source: string
  /** Offsets of the opening delimiter and of the text behind it. */
  readonly start: number
  readonly from: number
  readonly line: number
}

interface TagEnd {
  readonly end: number
  readonly isTrimming: boolean
}

type Kind = 'comment' | 'raw' | 'block' | 'variable'

function readOpening(
  source: string,
  from: number,
): { readonly kind: Kind; readonly sign: string; readonly at: number; readonly inner: number } | undefined {
  const pattern = /\{([{%#])([-+]?)/g
  pattern.lastIndex = from
  const match = pattern.exec(source)
  const [whole = '', brace = '', sign = ''] = match ?? []
  if (match === null) return undefined
  const isRaw = brace === '%' && /^\s*raw\s*-?%\}/.test(source.slice(match.index + whole.length))
  const kind = isRaw ? 'raw' : brace === '#' ? 'comment' : brace === '%' ? 'block' : 'variable'
  return { kind, sign, at: match.index, inner: match.index + whole.length }
}

const readers: Readonly<Record<Kind, (part: Part, tokens: Token[]) => TagEnd>> = {
  comment({ source, from, line }) {
    const end = source.indexOf('#}', from)
    if (end < 0) throw new Error(`line ${line}: a comment {# has no end #}`)
    return { end: end + 2, isTrimming: source[end - 1] === '-' && end > from }
  },
  raw({ source, from, line }, tokens) {
    const [begin = ''] = /^\s*raw\s*-?%\}/.exec(source.slice(from)) ?? []
    const rest = source.slice(from + begin.length)
    const end = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/.exec(rest)
    if (end === null) throw new Error(`line ${line}: {% raw %} has no {% endraw %}`)
    const led = begin.endsWith('-%}') ? rest.slice(0, end.index).replace(leadingSpace, '') : rest.slice(0, end.index)
    const value = end[1] === '-' ? led.replace(trailingSpace, '') : led
    if (value !== '') tokens.push({ type: 'text', value, line })
    return { end: from + begin.length + end.index + end[0].length, isTrimming: end[2] === '-' }
  },
  block: (part, tokens) => readCode(part, '%}', tokens),
  variable: (part, tokens) => readCode(part, '}}', tokens),
}

const word = /^(?:[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*)/u
const float = /^\d+(?:_\d+)*(?:(?:\.\d+(?:_\d+)*)?[eE][+-]?\d+(?:_\d+)*|\.\d+(?:_\d+)*)/
const integer = /^(?:0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*)/
const text = /^(?:'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*")/
const operator = /^(?:\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}<>=.:|,;])/

/** Reads the tokens between two delimiters. Within brackets `}}` does not end them. */
function readCode({ source, from, line }: Part, end: '%}' | '}}', tokens: Token[]): TagEnd {
  tokens.push({ type: 'begin', value: end === '%}' ? '{%' : '{{', line })
  const open: string[] = []
  let at = from
  let now = line
  while (at < source.length) {
    const rest = source.slice(at, at + 2) === '' ? '' : source.slice(at)
    const [space = ''] = leadingSpace.exec(rest) ?? []
    if (space !== '') {
      now += space.split('\n').length - 1
      at += space.length
      continue
    }
    const closed = open.length === 0 ? findClosing(rest, end) : undefined
    if (closed !== undefined) {
      tokens.push({ type: 'end', value: end, line: now })
      return { end: at + closed.length, isTrimming: closed.startsWith('-') }
    }
    const token = readToken(rest, { line: now, follows: tokens.at(-1) })
    balance(token, open)
    tokens.push(token)
    at += token.length
    now += token.lines
  }
  throw new Error(`line ${line}: ${end === '%}' ? '{%' : '{{'} has no ${end}`)
}

function findClosing(rest: string, end: '%}' | '}}'): string | undefined {
  if (rest.startsWith(end)) return end
  const signed = [`-${end}`, ...(end === '%}' ? [`+${end}`] : [])]
  return signed.find(closing => rest.startsWith(closing))
}

function readToken(
  rest: string,
  { line, follows }: { readonly line: number; readonly follows: Token | undefined },
): Token & { readonly length: number; readonly lines: number } {
  const token = (type: Token['type'], matchedText: string, value = matchedText) => ({
    type,
    value,
    line,
    length: matchedText.length,
    lines: matchedText.split('\n').length - 1,
  })
  const isBehindDot = follows?.type === 'operator' && follows.value === '.'
  const [real] = isBehindDot ? [] : (float.exec(rest) ?? [])
  if (real !== undefined) return token('float', real)
  const [whole] = integer.exec(rest) ?? []
  if (whole !== undefined) return token('integer', whole)
  const [name] = word.exec(rest) ?? []
  if (name !== undefined) return token('name', name)
  const [string] = text.exec(rest) ?? []
  if (string !== undefined) return token('string', string, unescapeString(string.slice(1, -1)))
  const [sign] = operator.exec(rest) ?? []
  if (sign !== undefined) return token('operator', sign)
  throw new Error(`line ${line}: unexpected ${JSON.stringify(Array.from(rest)[0])}`)
}

const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

function balance({ type, value, line }: Token, open: string[]): void {
  if (type !== 'operator') return
  if (value === '(' || value === '[' || value === '{') open.push(value)
  const opener = pairs[value]
  if (opener !== undefined && open.pop() !== opener) throw new Error(`line ${line}: unexpected "${value}"`)
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
}

/** Unescapes a string literal as Python does. Unknown escapes stay as they are. */
const unescapeString = (source: string): string =>
  source.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g,
    (whole, x?: string, u?: string, long?: string, octal?: string, char?: string) => {
      const code = x ?? u ?? long
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8))
      return escapes[char ?? ''] ?? whole
    },
  )

/** A cursor over tokens. */
export class TokenStream {
  /** Names of the blocks so far: a second one of the same name is an error. */
  readonly blocks = new Set<string>()
  readonly #tokens: readonly Token[]
  #at = 0

  /** The last token must be of type `eof`. */
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get now(): Token {
    const token = this.#tokens[Math.min(this.#at, this.#tokens.length - 1)]
    if (token === undefined) throw new Error('internal error: no tokens')
    return token
  }

  get before(): string {
    return this.#tokens[this.#at - 1]?.value ?? ''
  }

  is(type: Token['type'], value: string): boolean {
    return this.now.type === type && this.now.value === value
  }

  isNext(type: Token['type'], value: string): boolean {
    const token = this.#tokens[this.#at + 1]
    return token?.type === type && token.value === value
  }

  next(): Token {
    const token = this.now
    this.#at += 1
    return token
  }

  /** Consumes the token if it matches. */
  skip(type: Token['type'], value: string): boolean {
    if (!this.is(type, value)) return false
    this.#at += 1
    return true
  }

  /**
   * Consumes the token.
   * @throws Error where another token stands here.
   */
  expect(type: Token['type'], value?: string): Token {
    const { now } = this
    if (now.type === type && (value === undefined || now.value === value)) return this.next()
    throw this.refusal(`expected ${value ?? `a ${type}`}`)
  }

  refusal(what: string): Error {
    const { line, type, value } = this.now
    const tokenText = type === 'eof' ? 'the end' : type === 'string' ? JSON.stringify(value) : value.trim()
    return new Error(`line ${line}: ${what}, not ${tokenText}`)
  }
}
