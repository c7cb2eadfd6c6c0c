import { splitWhiteSpace, stripTrailingWhiteSpace } from '../../../base/white-space.js'
import { spaceNumberSigns, spacePunctuation, unescapeMarkup } from './western-tokens.js'

export interface TercomOptions {
  /** Sets punctuation apart, joins lines, reads SGML escapes. */
  readonly normalized: boolean
  /** Drops punctuation. */
  readonly no_punct: boolean
  /** Both of these for East Asian text too: with `normalized`, each ideograph is a word. */
  readonly asian_support: boolean
  readonly case_sensitive: boolean
}

/**
 * The words of a segment as TER compares them.
 *
 * Source: sacrebleu 2.6.0, `tokenizers/tokenizer_ter.py`, after Tercom's `Normalizer.java`. Its rules for the ends of possessives and
 * for runs of kana ask for what can't be there once a space stands at both ends, and are left out.
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

/** U+3200–3F22 is the reference's own, for the enclosed letters that end at U+32FF. */
const ideograph = /[\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f]/g

const asianPunctuation =
  /[\u3001\u3002\u3008-\u3011\u3014-\u301f\u30fb\uff01\uff02\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff61-\uff65]/g
