import type { Token } from './tokens.js'

/** Tokens, read from the first to the last. */
export class TokenStream {
  /** The names of the blocks that were read. */
  readonly blocks = new Set<string>()
  readonly #tokens: readonly Token[]
  #at = 0

  /** The last of the tokens says that it is. */
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get now(): Token {
    const token = this.#tokens[Math.min(this.#at, this.#tokens.length - 1)]
    if (token === undefined) throw new Error('internal error: no tokens')
    return token
  }

  /** The value of the token before. */
  get before(): string {
    return this.#tokens[this.#at - 1]?.value ?? ''
  }

  is(type: Token['type'], value: string): boolean {
    return this.now.type === type && this.now.value === value
  }

  /** Whether the token behind this one is that. */
  isNext(type: Token['type'], value: string): boolean {
    const token = this.#tokens[this.#at + 1]
    return token?.type === type && token.value === value
  }

  next(): Token {
    const token = this.now
    this.#at += 1
    return token
  }

  /** Goes on where the token is that. */
  skip(type: Token['type'], value: string): boolean {
    if (!this.is(type, value)) return false
    this.#at += 1
    return true
  }

  /** @throws Error where another token stands here. */
  expect(type: Token['type'], value?: string): Token {
    const { now } = this
    if (now.type === type && (value === undefined || now.value === value)) return this.next()
    throw this.refusal(`expected ${value ?? `a ${type}`}`)
  }

  refusal(what: string): Error {
    const { line, type, value } = this.now
    const found = type === 'eof' ? 'the end' : type === 'string' ? JSON.stringify(value) : value.trim()
    return new Error(`line ${line}: ${what}, not ${found}`)
  }
}
