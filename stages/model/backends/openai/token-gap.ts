/** Tokens whose own text is not in the text: bytes of a character, words that the tokenizer does not know. */

type Token = string | undefined

/** Bytes as servers write them that are no text: a replacement character, nothing, or the bytes by name. */
export const isPiece = (token: string): boolean =>
  token === '' || token.includes('\uFFFD') || /^(bytes:|<0x[0-9A-F]{2}>$)/.test(token)

/** The most UTF-16 units that such tokens may stand for; more means that tokens and text do not fit together. */
export const widestGap = (tokens: readonly Token[]): number => 8 * tokens.length

interface Gap {
  /** The text that no token tells. */
  readonly gap: string
  /** Where it begins, in UTF-16 units. */
  readonly at: number
  /** What tokens must be told apart at; every place is one where it is absent. */
  readonly boundary?: number
}

export interface GapTokens {
  readonly starts: readonly number[]
  /** Where the gap ends and the next token begins, which may be written without its space. */
  readonly end: number
}

/**
 * Where the tokens of a gap begin. Undefined where they may begin on either side of a boundary that is within the gap;
 * if it is not, it is enough to know that they begin no earlier than the gap.
 */
export function gapTokens(tokens: readonly Token[], { gap, at, boundary }: Gap): GapTokens | undefined {
  // White space around the bytes may be another token's, which is written without it.
  const spans = new Map([gap, gap.trimEnd(), gap.trimStart(), gap.trim()].map(text => [text, gap.indexOf(text)]))
  const fitting = [...spans].flatMap(([text, from]) => {
    const starts = byteStarts(tokens, text)
    return starts === undefined
      ? []
      : [{ starts: starts.map(start => at + from + start), end: at + from + text.length }]
  })
  if (fitting.length === 1) return fitting[0]
  const end = at + gap.length
  const isClear = boundary !== undefined && (tokens.length === 1 || boundary <= at || boundary >= end)
  return isClear ? { starts: tokens.map(() => at), end } : undefined
}

/** Where each token's first byte is, as the start of its character, if the tokens can be the bytes of the text. */
function byteStarts(tokens: readonly Token[], text: string): readonly number[] | undefined {
  const given = tokens.map(bytesOf)
  const bytes = [...Buffer.from(text)]
  const all = given.flatMap(known => known ?? [])
  const isFitting = all.length === bytes.length && all.every((byte, index) => byte === 'any' || byte === bytes[index])
  if (!isFitting || given.includes(undefined)) return undefined
  const starts = startOfEachByte(text)
  let byte = 0
  return given.map((known = []) => {
    const start = starts[byte] ?? text.length
    byte += known.length
    return start
  })
}

function startOfEachByte(text: string): readonly number[] {
  const starts: number[] = []
  let at = 0
  for (const point of text) {
    starts.push(...Array.from({ length: Buffer.byteLength(point) }, () => at))
    at += point.length
  }
  return starts
}

/** No token has less than a byte: as many tokens as bytes have one each, whichever it is. */
function bytesOf(token: Token): readonly (number | 'any')[] | undefined {
  if (token === undefined || !isPiece(token)) return undefined
  const named = [...token.matchAll(/(?:\\|<0)x([0-9A-Fa-f]{2})/g)].map(([, hex = '']) => Number.parseInt(hex, 16))
  return named.length > 0 ? named : ['any']
}
