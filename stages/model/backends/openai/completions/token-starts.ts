type Token = string | undefined
type Starts = readonly (number | undefined)[]

export interface TokenPlaces {
  /** The server's offsets of the tokens, in code points. */
  readonly offsets?: readonly number[] | undefined
  /** The position in UTF-16 units that separates context tokens from scored tokens. */
  readonly boundary: number
  /** True if the last token may have been generated after the text. */
  readonly mayGoOn: boolean
}

/**
 * Finds where each token of a text begins, in UTF-16 units. The start is undefined for tokens outside the text, such as
 * a beginning-of-text token. The whole result is undefined if tokens and text do not match, or if it stays unclear
 * which tokens begin before the boundary.
 *
 * The server's own offsets are used if each token stands at its offset in the text. Some servers count
 * beginning-of-text tokens or send no offsets. Then the tokens are searched in the text one after another.
 *
 * @param tokens the tokens as the server writes them; only the first may be undefined
 */
export function tokenStarts(tokens: readonly Token[], text: string, places: TokenPlaces): Starts | undefined {
  const starts =
    checkedOffsets(tokens, text, places.offsets) ??
    findTokens(tokens, text, { ...places, isFirstOutside: tokens[0] === undefined })
  if (starts !== undefined || tokens[0] !== undefined) return starts
  return findTokens(tokens, text, { ...places, isFirstOutside: false })
}

function checkedOffsets(tokens: readonly Token[], text: string, offsets?: readonly number[]): Starts | undefined {
  if (offsets?.length !== tokens.length || offsets[0] !== 0) return undefined
  const units = unitsOfPoints(text)
  for (const [index, token = ''] of tokens.entries()) {
    const start = units[offsets[index] ?? -1]
    const end = index + 1 < tokens.length ? units[offsets[index + 1] ?? -1] : text.length
    if (start === undefined || end === undefined || end < start) return undefined
    if (!isPiece(token) && text.slice(start, end) !== token) return undefined
  }
  return offsets.map((offset, index) => (index === 0 && tokens[0] === '' ? undefined : units[offset]))
}

/** Maps each code point, and the end, to its position in UTF-16 units. */
function unitsOfPoints(text: string): readonly number[] {
  const units = [0]
  for (const point of text) units.push((units.at(-1) ?? 0) + point.length)
  return units
}

interface Finding extends TokenPlaces {
  readonly isFirstOutside: boolean
}

function findTokens(tokens: readonly Token[], text: string, finding: Finding): Starts | undefined {
  const starts: (number | undefined)[] = []
  let at = 0
  // Tokens whose text is not found. The next token that is found shows how far they reach.
  let open: Token[] = []
  for (const [index, token] of tokens.entries()) {
    const isOutside = index === 0 && (finding.isFirstOutside || token === '')
    const place = isOutside
      ? undefined
      : open.length > 0
        ? afterGap(token, text, { at, open })
        : nextTo(token, text, at)
    const isBefore = at === 0 && open.length === 0 && token !== undefined && !isPiece(token)
    if (isOutside || (place === undefined && isBefore)) starts.push(undefined)
    else if (place === undefined) open.push(token)
    else {
      const gap = gapTokens(open, { gap: text.slice(at, place.start), at, boundary: finding.boundary })
      if (gap === undefined) return undefined
      starts.push(...gap.starts, gap.end)
      at = place.end
      open = []
    }
  }
  const last = lastStarts(open, text, { ...finding, at })
  return last === undefined ? undefined : [...starts, ...last]
}

interface TokenPlace {
  readonly start: number
  readonly end: number
}

/**
 * Finds a token at a position. SentencePiece puts a space before a text, and writes tokens that begin with a space
 * without it.
 */
function nextTo(token: Token, text: string, at: number): TokenPlace | undefined {
  if (token === undefined) return undefined
  if (text.startsWith(token, at)) return { start: at, end: at + token.length }
  const bare = token.trimStart()
  if (at === 0 && bare !== '' && text.startsWith(bare)) return { start: 0, end: bare.length }
  const begins = text.length - text.slice(at).trimStart().length
  return token !== '' && text.startsWith(token, begins) ? { start: at, end: begins + token.length } : undefined
}

function afterGap(
  token: Token,
  text: string,
  { at, open }: { readonly at: number; readonly open: readonly Token[] },
): TokenPlace | undefined {
  if (token === undefined || isPiece(token)) return undefined
  const start = text.indexOf(token, at + 1)
  return start < 0 || start - at > widestGap(open) ? undefined : { start, end: start + token.length }
}

/** Finds the starts of tokens with no found token behind them. An end-of-text token is not in the text. */
function lastStarts(
  open: readonly Token[],
  text: string,
  { at, boundary, mayGoOn }: Finding & { readonly at: number },
): readonly number[] | undefined {
  const last = open.findLastIndex(token => token === undefined || isPiece(token))
  const pieces = open.slice(0, last + 1)
  const gap = text.slice(at)
  if (pieces.length === 0 && gap.trim() !== '') return undefined
  const matchedGap = gapTokens(pieces, { gap, at, ...(mayGoOn ? {} : { boundary }) })
  return matchedGap && [...matchedGap.starts, ...open.slice(last + 1).map(() => text.length)]
}

/** Tells whether a token is a part of a character: a replacement character, an empty text, or named bytes. */
const isPiece = (token: string): boolean =>
  token === '' || token.includes('\uFFFD') || /^(bytes:|<0x[0-9A-F]{2}>$)/.test(token)

/** The maximum length in UTF-16 units of such tokens. A longer gap means that tokens and text do not match. */
const widestGap = (tokens: readonly Token[]): number => 8 * tokens.length

interface Gap {
  /** The text between two found tokens. */
  readonly gap: string
  /** The start of the gap, in UTF-16 units. */
  readonly at: number
  /** The position that tokens must not span. If absent, every position counts. */
  readonly boundary?: number
}

interface GapTokens {
  readonly starts: readonly number[]
  /** The end of the gap. The next token begins there, perhaps written without its space. */
  readonly end: number
}

/**
 * Finds where the tokens of a gap begin. Undefined if they may begin on either side of a boundary inside the gap. If
 * the boundary is outside, it is enough to know that they begin no earlier than the gap.
 */
function gapTokens(tokens: readonly Token[], { gap, at, boundary }: Gap): GapTokens | undefined {
  // White space around the bytes may belong to another token, which is written without it.
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

/** Finds the character of each token's first byte, if the tokens can be the bytes of the text. */
function byteStarts(tokens: readonly Token[], text: string): readonly number[] | undefined {
  const tokenBytes = tokens.map(parseTokenBytes)
  const bytes = [...Buffer.from(text)]
  const allBytes = tokenBytes.flatMap(bytesOfToken => bytesOfToken ?? [])
  const isFitting =
    allBytes.length === bytes.length && allBytes.every((byte, index) => byte === 'any' || byte === bytes[index])
  if (!isFitting || tokenBytes.includes(undefined)) return undefined
  const starts = startOfEachByte(text)
  let byte = 0
  return tokenBytes.map((bytesOfToken = []) => {
    const start = starts[byte] ?? text.length
    byte += bytesOfToken.length
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

/** Returns the bytes of a token. Each token has at least one. If there are as many tokens as bytes, each has exactly one. */
function parseTokenBytes(token: Token): readonly (number | 'any')[] | undefined {
  if (token === undefined || !isPiece(token)) return undefined
  const byteValues = [...token.matchAll(/(?:\\|<0)x([0-9A-Fa-f]{2})/g)].map(([, hex = '']) => Number.parseInt(hex, 16))
  return byteValues.length > 0 ? byteValues : ['any']
}
