/** Builds patterns from the tables of words around values. All patterns ignore case. */

/** Words of one language that stand before a value, and words that stand after it. Each entry is a part of a pattern. */
export interface WordsAround {
  readonly before?: readonly string[]
  readonly after?: readonly string[]
}

/** A table with a row for each language, by its ISO 639-1 code. */
export type WordTable = Readonly<Record<string, WordsAround>>

/** Joins the entries of one column of all languages as alternatives. A space stands for any white space. */
export const joinColumn = (table: WordTable, side: keyof WordsAround): string =>
  Object.values(table)
    .flatMap(words => words[side] ?? [])
    .map(word => word.replaceAll(' ', '\\s+'))
    .join('|')

/** Markup, quotes, brackets and signs of currencies that may touch a value without changing what is said of it. */
export const opening = '(?:[\\s"\'“”‘’«*_`$([{<|~≈:]|\\p{Sc}|\\\\(?:boxed|fbox|text|mathrm|\\(|\\[|\\$))*'
export const closing = '[\\s"\'“”‘’»*_`$)\\]}%]*(?:\\\\[)\\]%])?[*_)]*'

const spaced =
  '[\\p{sc=Latin}\\p{sc=Cyrillic}\\p{sc=Greek}\\p{sc=Arabic}\\p{sc=Hebrew}\\p{sc=Devanagari}\\p{sc=Bengali}\\p{M}]'

/** No letter touches, where both belong to scripts that write spaces between words. A Latin letter may touch 是. */
export const wordStart = `(?<!${spaced}(?=${spaced}))`
export const wordEnd = `(?!(?<=${spaced})${spaced})`

/** The number of characters on either side of a value that are searched. */
export const reach = 60
