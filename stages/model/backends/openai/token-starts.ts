/** Text units of one token at most that no token's own text tells. */
const widestPiece = 8

/** Tokens of one character's bytes, as servers write what is no text: a replacement character, nothing, or the byte itself. */
const isPiece = (token: string): boolean =>
  token === '' || token.includes('\uFFFD') || /^(bytes:|<0x[0-9A-F]{2}>$)/.test(token)

/**
 * Where each token of a text begins, in UTF-16 units; undefined for tokens before the text that are no part of it (a
 * beginning-of-text token). Undefined as a whole where tokens and text do not fit together.
 *
 * The server's own offsets (code points) are taken where each token stands in the text at its offset. Servers also count
 * beginning-of-text tokens, or give no offsets: then the tokens are found in the text one after another.
 *
 * @param tokens - as the server writes them; undefined where it does not tell, which only the first may be.
 */
export function tokenStarts(
  tokens: readonly (string | undefined)[],
  text: string,
  offsets?: readonly number[],
): readonly (number | undefined)[] | undefined {
  return (
    (offsets === undefined ? undefined : checkedOffsets(tokens, text, offsets)) ??
    findTokens(tokens, text, { isFirstOutside: tokens[0] === undefined }) ??
    (tokens[0] === undefined ? findTokens(tokens, text, { isFirstOutside: false }) : undefined)
  )
}

function checkedOffsets(
  tokens: readonly (string | undefined)[],
  text: string,
  offsets: readonly number[],
): readonly (number | undefined)[] | undefined {
  const units = unitsOfPoints(text)
  if (offsets.length !== tokens.length || offsets[0] !== 0) return undefined
  for (const [index, token = ''] of tokens.entries()) {
    const start = units[offsets[index] ?? -1]
    const end = index + 1 < tokens.length ? units[offsets[index + 1] ?? -1] : text.length
    if (start === undefined || end === undefined || end < start) return undefined
    if (!isPiece(token) && text.slice(start, end) !== token) return undefined
  }
  return offsets.map((offset, index) => (index === 0 && tokens[0] === '' ? undefined : units[offset]))
}

/** The place in UTF-16 units of each code point, and of the end. */
function unitsOfPoints(text: string): readonly number[] {
  const units = [0]
  for (const point of text) units.push((units.at(-1) ?? 0) + point.length)
  return units
}

function findTokens(
  tokens: readonly (string | undefined)[],
  text: string,
  { isFirstOutside }: { readonly isFirstOutside: boolean },
): readonly (number | undefined)[] | undefined {
  const starts: (number | undefined)[] = []
  let at = 0
  // Tokens whose own text is not in the text: what comes after them tells how far they reach.
  let open = 0
  for (const [index, token] of tokens.entries()) {
    const end = open > 0 ? endAfterGap(token, { text, at, open }) : endOf(token, text, at)
    if (index === 0 && (isFirstOutside || token === '')) starts.push(undefined)
    else if (end !== undefined) {
      starts.push(open > 0 ? end - (token?.length ?? 0) : at)
      at = end
      open = 0
    } else if (at === 0 && open === 0 && token !== undefined && !isPiece(token)) starts.push(undefined)
    else {
      starts.push(at)
      open += 1
    }
  }
  const rest = text.slice(at)
  return rest.trim() === '' || rest.length <= open * widestPiece ? starts : undefined
}

/** Tokenizers of SentencePiece put a space before a text, and write tokens that begin with a space without it. */
function endOf(token: string | undefined, text: string, at: number): number | undefined {
  if (token === undefined) return undefined
  if (text.startsWith(token, at)) return at + token.length
  const bare = token.trimStart()
  if (at === 0 && bare !== '' && text.startsWith(bare)) return bare.length
  const space = /\s*/y
  space.lastIndex = at
  const begins = at + (space.exec(text)?.[0].length ?? 0)
  return token !== '' && text.startsWith(token, begins) ? begins + token.length : undefined
}

function endAfterGap(
  token: string | undefined,
  { text, at, open }: { readonly text: string; readonly at: number; readonly open: number },
): number | undefined {
  if (token === undefined || isPiece(token)) return undefined
  const found = text.indexOf(token, at + 1)
  return found < 0 || found - at > open * widestPiece ? undefined : found + token.length
}
