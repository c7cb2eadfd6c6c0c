/** Finds the words of a search in a text, to mark them and to show the part of the text that has them. */

/** A range of a text, in UTF-16 offsets; the end is exclusive. */
type Span = readonly [start: number, end: number]

interface Token {
  readonly text: string
  readonly start: number
  readonly end: number
}

interface Term {
  readonly tokens: readonly string[]
  /** The last token may be the beginning of a word. */
  readonly isPrefix: boolean
  /** The term as it was typed, for texts without words. */
  readonly literal: string
}

/** The minimum length of a word that also matches longer words, as in the index of samples. */
const leastPrefix = 3
/** The maximum number of characters that are searched, because a text may be a whole file. */
const mostSearched = 1_000_000

/** Characters of scripts that write no spaces. Each is a word. */
const ideograph = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]`
const beginsIdeographic = new RegExp(`^${ideograph}`, 'u')
const word = new RegExp(String.raw`${ideograph}\p{M}*|(?:(?!${ideograph})[\p{L}\p{N}\p{M}\p{Co}])+`, 'gu')

/**
 * Finds where a search matches a text: words (three characters and more also match the beginning of longer words) and `"phrases"`, without regard to
 * case and accents. A term that no word matches is looked for within words. A term that begins with `-` is not marked.
 *
 * @returns spans in ascending order, which do not overlap
 */
export function findSearchSpans(text: string, search: string): readonly Span[] {
  const terms = readTerms(search)
  if (terms.length === 0) return []
  const searched = text.slice(0, mostSearched)
  const tokens = splitTokens(searched)
  const spans = terms.flatMap(term => {
    const found = findTerm(tokens, term)
    return found.length > 0 ? found : findLiteral(searched, term.literal)
  })
  return joinSpans(spans)
}

/**
 * Shortens the beginning of a text whose first match lies far behind it, so that the match is among the first characters.
 *
 * @returns the text from shortly before its first match, behind an ellipsis; the whole text if the match is near its beginning, or if there is none
 */
export function startAtMatch(text: string, search: string): string {
  const [first] = findSearchSpans(text, search)
  if (first === undefined || first[0] <= nearBeginning) return text
  const from = first[0] - contextCharacters
  const context = text.slice(from, first[0])
  // Begins with a whole word where there is one.
  const wordStart = /^\S*\s+/.exec(context)?.[0].length ?? 0
  return `…${text.slice(from + wordStart).replace(/^[\uDC00-\uDFFF]/, '')}`
}

const nearBeginning = 16
const contextCharacters = 10

function readTerms(search: string): readonly Term[] {
  return [...search.matchAll(/(-?)(?:"([^"]*)"?|([^\s"]+))/gu)].flatMap(([, sign, phrase, typed]) => {
    const literal = (phrase ?? typed ?? '').trim()
    if (sign === '-' || literal === '') return []
    const tokens = splitTokens(literal).map(token => token.text)
    const last = tokens.at(-1) ?? ''
    const isPrefix = phrase === undefined && last.length >= leastPrefix && !beginsIdeographic.test(last)
    return [{ tokens, literal, isPrefix }]
  })
}

const splitTokens = (text: string): readonly Token[] =>
  [...text.matchAll(word)].map(match => ({
    text: foldText(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  }))

const foldText = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

function findTerm(tokens: readonly Token[], { tokens: wanted, isPrefix }: Term): readonly Span[] {
  if (wanted.length === 0) return []
  const matches = (at: number): boolean =>
    wanted.every((text, index) => {
      const own = tokens[at + index]?.text
      return own !== undefined && (isPrefix && index === wanted.length - 1 ? own.startsWith(text) : own === text)
    })
  return tokens.flatMap((token, at): readonly Span[] =>
    matches(at) ? [[token.start, tokens[at + wanted.length - 1]?.end ?? token.end]] : [],
  )
}

/** Positions in lower case are those of the text only while both are equally long. */
function findLiteral(text: string, literal: string): readonly Span[] {
  const [lowered, wanted] = [text.toLowerCase(), literal.toLowerCase()]
  if (lowered.length !== text.length) return []
  const spans: Span[] = []
  for (let at = lowered.indexOf(wanted); at >= 0; at = lowered.indexOf(wanted, at + wanted.length))
    spans.push([at, at + wanted.length])
  return spans
}

function joinSpans(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = []
  for (const span of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1)
    if (last === undefined || span[0] > last[1]) joined.push(span)
    else joined[joined.length - 1] = [last[0], Math.max(last[1], span[1])]
  }
  return joined
}
