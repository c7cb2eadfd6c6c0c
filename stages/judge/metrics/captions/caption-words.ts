import { z } from 'zod'
import { stripTrailingWhiteSpace } from '../../../../base/python/white-space.js'
import { ptbTokens } from '../../text/ptb/ptb-tokenizer.js'

/**
 * Tokens that are removed as punctuation. The names of brackets are in capitals here and in lower case among the
 * tokens, so they are kept, as in the reference.
 */
const punctuation = new Set("'' ' `` ` -LRB- -RRB- -LCB- -RCB- . ? ! , : - -- ... ;".split(' '))

/**
 * The words of a caption for caption metrics: its Penn Treebank tokens without punctuation.
 *
 * Each caption is tokenized by itself. The reference tokenizes all captions as one text. There a caption that ends
 * in a single letter and a period loses that period if the next one begins with `The` or a similar word. With the
 * next caption as `after`, the words are exactly the reference's.
 *
 * Source: pycocoevalcap 1.2, `tokenizer/ptbtokenizer.py`. Line breaks other than LF count as spaces here; in the
 * reference they shift all later captions.
 */
export function captionWords(caption: string, after?: string): readonly string[] {
  const line = stripTrailingWhiteSpace(ptbTokens(caption, after).join(' '))
  return line.split(' ').filter(word => !punctuation.has(word))
}

/** Common arguments of caption metrics. */
export const captionShape = {
  /** The tokenizer of captions. `none` is for captions that are words with single spaces already. */
  tokenize: z.enum(['ptb', 'none']).default('ptb'),
} as const

type CaptionOptions = z.output<z.ZodObject<typeof captionShape>>

/** The words joined by single spaces. */
export const captionText = (caption: string, { tokenize }: CaptionOptions): string =>
  tokenize === 'none' ? caption : captionWords(caption).join(' ')
