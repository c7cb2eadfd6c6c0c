import { pythonRegex } from '../../../base/python/python-regex.js'
import { splitWhiteSpace } from '../../../base/python/white-space.js'
import { isAllPunctuation } from './unicode-14.js'
import { oneSpace } from './whisper/basic.js'

/**
 * Cleans a transcript: removes a speech model's tags (`<|en|>`) and collapses spaces. Spaces at the start and
 * before `!`, `,`, `.`, `?`, `;` and `:` are removed. `withoutSpaces` removes all white space, for Chinese.
 *
 * Source: lmms-eval 0.7.2, `tasks/asr_wer_utils.py`, remove_sp.
 */
export function cleanTranscript(text: string, { withoutSpaces = false } = {}): string {
  const clean = oneSpace(text.replace(tags, ' '))
    .replace(/ ?([!,.?;:])/g, '$1')
    .replace(/^ +/, '')
  return withoutSpaces ? splitWhiteSpace(clean).join('') : clean
}

const tags = /<\|[^\n]*?\|>/g

/**
 * Removes words that consist of punctuation. The result has single spaces.
 *
 * Source: lmms-eval 0.7.2, `tasks/asr_wer_utils.py`, EvaluationTokenizer.remove_punctuation.
 */
export const withoutPunctuationWords = (text: string): string =>
  text
    .split(' ')
    .filter(word => !isAllPunctuation(word))
    .join(' ')

/**
 * Puts a text in lower case and keeps only `a` to `z`, `0` to `9`, apostrophes and single spaces.
 * Source: lmms-eval 0.7.2, `tasks/av_asr/utils.py`.
 */
export const plainEnglish = (text: string): string =>
  splitWhiteSpace(text.toLowerCase().replace(otherThanPlain, ' ')).join(' ')

const otherThanPlain = pythonRegex("[^a-z0-9\\s']", 'g')

/** Removes ASCII punctuation except the apostrophe. Source: lmms-eval 0.7.2, `tasks/ami/utils.py`. */
export const withoutAsciiPunctuation = (text: string): string => text.replace(/[!-&(-/:-@[-`{-~]/g, '')
