/** Turns any typed text into a query that SQLite's full-text search accepts. */

export interface TextQuery {
  /** For `MATCH`. Undefined if the text has nothing that the full-text search knows, for example only signs. */
  readonly match?: string
  /** For a plain look for these texts, without regard to case. */
  readonly literals: readonly string[]
}

/** The minimum length of a prefix. Shorter words only match whole words, because nearly every sample would match. */
const leastPrefix = 3

/**
 * Reads words, `"phrases"` and `-words` that must not occur. Words of three characters and more match all words that begin with them.
 *
 * @returns undefined if the text has no searchable word
 */
export function textQuery(text: string): TextQuery | undefined {
  const parts = [...text.matchAll(/(-?)(?:"([^"]*)"?|([^\s"]+))/gu)].map(([, sign, phrase, word]) => ({
    isNot: sign === '-',
    isPhrase: phrase !== undefined,
    text: phrase ?? word ?? '',
  }))
  const wanted = parts.filter(part => !part.isNot && part.text.trim() !== '')
  if (wanted.length === 0) return undefined
  const positive = wanted.flatMap(({ text: own, isPhrase }) => formatTerm(own, !isPhrase) ?? [])
  const negative = parts
    .filter(part => part.isNot)
    .flatMap(({ text: own, isPhrase }) => formatTerm(own, !isPhrase) ?? [])
  const literals = wanted.map(part => part.text.toLowerCase())
  // Signs are dropped if there are words. Signs alone are searched literally.
  if (positive.length === 0) return { literals }
  const not = negative.map(term => ` NOT ${term}`).join('')
  return { match: `${positive.map((term, at) => (at === 0 ? term : ` AND ${term}`)).join('')}${not}`, literals }
}

/** A phrase in quotes has no operators. Quotes are not part of tokens. */
function formatTerm(text: string, isPrefix: boolean): string | undefined {
  const tokens = splitTokens(text)
  const last = tokens.at(-1)
  if (last === undefined) return undefined
  const star = isPrefix && last.length >= leastPrefix && !isIdeographic(last) ? ' *' : ''
  return `"${tokens.join(' ')}"${star}`
}

/** Splits a text into tokens like the index: letters, numbers and private characters, and each character of languages without spaces separately. */
const splitTokens = (text: string): readonly string[] => searchableText(text).match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? []

const ideographs =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/gu

const isIdeographic = (token: string): boolean => token.search(ideographs) !== -1

/** Puts spaces around the characters of languages that write none, so that every part of a text is found. */
export const searchableText = (text: string): string => text.replace(ideographs, ' $& ')
