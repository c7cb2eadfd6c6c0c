import { splitWhiteSpace, stripTrailingWhiteSpace, stripWhiteSpace } from '../../../base/python/white-space.js'

/** Returns a segment with spaces between its tokens. */
type BleuTokenizer = (text: string) => string

const collapseSpaces = (text: string): string => splitWhiteSpace(text).join(' ')

/**
 * The tokenizers of sacrebleu that need no dictionary and no model, by their names in its signature.
 *
 * `13a` is `mteval-v13a.pl`, which WMT reports. `intl` is `mteval-v14.pl`, which knows Unicode's punctuation and
 * symbols. `zh` separates Chinese characters and treats the rest like `13a`. `char` makes each code point a token,
 * and `none` splits at white space.
 *
 * Source: sacrebleu 2.6.0, `tokenizers/`.
 */
export const bleuTokenizers = {
  none: text => text,
  '13a': text => {
    const line = text.replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' ')
    return collapseSpaces(spaceWestern(` ${unescapeMarkup(line)} `))
  },
  intl: text =>
    collapseSpaces(
      text
        .replace(/(\P{N})(\p{P})/gu, '$1 $2 ')
        .replace(/(\p{P})(\P{N})/gu, ' $1 $2')
        .replace(/\p{S}/gu, ' $& '),
    ),
  zh: text => collapseSpaces(spaceWestern(spaceChinese(stripWhiteSpace(text)))),
  char: text => Array.from(text).join(' '),
} as const satisfies Readonly<Record<string, BleuTokenizer>>

export type BleuTokenizerName = keyof typeof bleuTokenizers

/**
 * The form of a segment that BLEU counts: in lower case if requested, without trailing white space, with spaces
 * between tokens.
 */
export function bleuSegment(text: string, tokenize: BleuTokenizerName, lowercase: boolean): string {
  return bleuTokenizers[tokenize](stripTrailingWhiteSpace(lowercase ? text.toLowerCase() : text))
}

interface TercomOptions {
  /** True to separate punctuation, join lines and decode SGML escapes. */
  readonly normalized: boolean
  /** True to remove punctuation. */
  readonly no_punct: boolean
  /** True to apply both to East Asian text too. With `normalized`, each ideograph is then a word. */
  readonly asian_support: boolean
  readonly case_sensitive: boolean
}

/**
 * The words of a segment that TER compares.
 *
 * Source: sacrebleu 2.6.0, `tokenizers/tokenizer_ter.py`, after Tercom's `Normalizer.java`. Its rules for the ends
 * of possessives and for runs of kana never match after spaces are added at both ends, and are left out.
 */
export function tercomWords(text: string, options: TercomOptions): readonly string[] {
  let line = stripTrailingWhiteSpace(text)
  if (!options.case_sensitive) line = line.toLowerCase()
  if (options.normalized) {
    line = normalise(line)
    if (options.asian_support) line = line.replace(ideograph, ' $& ').replace(asianPunctuation, ' $& ')
  }
  if (options.no_punct) {
    line = line.replace(/[.,?:;!"()]/g, '')
    if (options.asian_support) line = line.replace(asianPunctuation, '')
  }
  return splitWhiteSpace(line)
}

function normalise(text: string): string {
  const line = unescapeMarkup(text.replaceAll('\n-', '').replaceAll('\n', ' '))
  return spaceNumberSigns(spacePunctuation(` ${line} `).replaceAll("'s ", " 's "))
}

/** U+3200–3F22 is a range of the reference. It was meant for the enclosed letters, which end at U+32FF. */
const ideograph = /[\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f]/g

const asianPunctuation =
  /[\u3001\u3002\u3008-\u3011\u3014-\u301f\u30fb\uff01\uff02\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff61-\uff65]/g

/**
 * Separates the punctuation of Western text with spaces, except the apostrophe. A period or comma stays beside a
 * digit, and a dash is separated only after a digit.
 *
 * Source: NIST `mteval-v13a.pl`, tokenization, the language-dependent part, as in sacrebleu 2.6.0.
 */
const spaceWestern = (text: string): string => spaceNumberSigns(spacePunctuation(text))

/** The first part of {@link spaceWestern}: ASCII punctuation and symbols except `'`, `,`, `-` and `.`. */
const spacePunctuation = (text: string): string => text.replace(/[{-~[-` -&(-+:-@/]/g, ' $& ')

/** The second part of {@link spaceWestern}: period, comma and dash, which depend on the adjacent digits. */
const spaceNumberSigns = (text: string): string =>
  text
    .replace(/([^0-9])([.,])/g, '$1 $2 ')
    .replace(/([.,])([^0-9])/g, ' $1 $2')
    .replace(/([0-9])-/g, '$1 - ')

/** Decodes the SGML entities of `"`, `&`, `<` and `>` one after the other, so that `&amp;lt;` becomes `<`. */
const unescapeMarkup = (text: string): string =>
  text.includes('&')
    ? text.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>')
    : text

/**
 * The ranges that sacrebleu treats as Chinese: ideographs, radicals, strokes, full-width forms, phonetic signs and
 * symbols.
 *
 * Two ranges are mistakes in sacrebleu. U+20000–2A6D6 and U+2F800–2FA1D are written with four-digit escapes there,
 * which mean U+2001–2A6D and U+2F81–2FA1. Ideographs beyond U+FFFF are therefore not separated; dashes, curly
 * quotes, arrows and mathematical signs are. Published scores contain this, so it is kept.
 *
 * Source: sacrebleu 2.6.0, `tokenizers/tokenizer_zh.py`.
 */
const chinese =
  /[\u2001-\u2a6d\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef\u3200-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef]/g

/** Separates Chinese characters with spaces. */
const spaceChinese = (text: string): string => text.replace(chinese, ' $& ')
