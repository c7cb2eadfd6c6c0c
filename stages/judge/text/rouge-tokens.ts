import { porterStem } from './porter-stemmer.js'

/**
 * Runs of ASCII letters and digits in small letters: any other letter separates, so that `naïve` is `na` and `ve`. Of words longer than three
 * characters the stem, if asked.
 *
 * Source: rouge-score 0.1.2, `tokenize.py`.
 */
export function rougeTokens(text: string, useStemmer: boolean): readonly string[] {
  const tokens = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return useStemmer ? tokens.map(token => (token.length > 3 ? porterStem(token) : token)) : tokens
}
