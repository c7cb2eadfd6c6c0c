import { z } from 'zod'
import { stripTrailingWhiteSpace } from '../../../../base/python/white-space.js'
import { ptbTokens } from '../../text/ptb/ptb-tokenizer.js'

/** Names of brackets are in capitals here and in small letters among the tokens: they stay, as in the reference. */
const punctuation = new Set("'' ' `` ` -LRB- -RRB- -LCB- -RCB- . ? ! , : - -- ... ;".split(' '))

/**
 * The words of a caption as caption metrics compare them: the tokens of the Penn Treebank without punctuation.
 *
 * Each caption is read by itself. The reference reads all of a corpus as one text, where a caption that ends in a single letter and a period
 * loses that period before one that begins with `The` or the like; `after`, what stands behind this one, gives its words to the letter.
 *
 * Source: pycocoevalcap 1.2, `tokenizer/ptbtokenizer.py`. Other line breaks than LF count as spaces too; there they shift all captions
 * that follow.
 */
export function captionWords(caption: string, after?: string): readonly string[] {
  const line = stripTrailingWhiteSpace(ptbTokens(caption, after).join(' '))
  return line.split(' ').filter(word => !punctuation.has(word))
}

/** Of the arguments of caption metrics. */
export const captionShape = {
  /** `none` where the captions are words between single spaces already. */
  tokenize: z.enum(['ptb', 'none']).default('ptb'),
} as const

type CaptionOptions = z.output<z.ZodObject<typeof captionShape>>

/** The words with single spaces between them. */
export const captionText = (caption: string, { tokenize }: CaptionOptions): string =>
  tokenize === 'none' ? caption : captionWords(caption).join(' ')
