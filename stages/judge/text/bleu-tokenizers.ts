import { splitWhiteSpace, stripTrailingWhiteSpace, stripWhiteSpace } from '../../../base/white-space.js'
import { spaceChinese } from './chinese-characters.js'
import { spaceWestern, unescapeMarkup } from './western-tokens.js'

/** A segment with its tokens set apart by white space. */
export type BleuTokenizer = (text: string) => string

const joined = (text: string): string => splitWhiteSpace(text).join(' ')

/**
 * The tokenizers of sacrebleu that need no dictionary and no model, by the name in its signature.
 *
 * `13a` is `mteval-v13a.pl`, what WMT reports; `intl` is `mteval-v14.pl`, which knows the punctuation and symbols of Unicode; `zh` sets
 * each Chinese character apart and treats the rest as `13a` does; `char` takes each code point for a token; `none` splits at white space.
 *
 * Source: sacrebleu 2.6.0, `tokenizers/`.
 */
export const bleuTokenizers = {
  none: text => text,
  '13a': text => {
    const line = text.replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' ')
    return joined(spaceWestern(` ${unescapeMarkup(line)} `))
  },
  intl: text =>
    joined(
      text
        .replace(/(\P{N})(\p{P})/gu, '$1 $2 ')
        .replace(/(\p{P})(\P{N})/gu, ' $1 $2')
        .replace(/\p{S}/gu, ' $& '),
    ),
  zh: text => joined(spaceWestern(spaceChinese(stripWhiteSpace(text)))),
  char: text => Array.from(text).join(' '),
} as const satisfies Readonly<Record<string, BleuTokenizer>>

export type BleuTokenizerName = keyof typeof bleuTokenizers

/** A segment as BLEU counts it: in small letters if asked, without white space at its end, tokens set apart. */
export function bleuSegment(text: string, tokenize: BleuTokenizerName, lowercase: boolean): string {
  return bleuTokenizers[tokenize](stripTrailingWhiteSpace(lowercase ? text.toLowerCase() : text))
}
