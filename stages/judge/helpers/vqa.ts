/**
 * Accuracy of short answers to questions about pictures, as VQAv2 and TextVQA count it.
 *
 * Sources: Antol et al. 2015 (https://arxiv.org/abs/1505.00468); https://visualqa.org/evaluation.html; the answer processor of MMF,
 * which lmms-eval 0.7.2 has in `tasks/_task_utils/vqa_eval_metric.py`.
 */
import { pythonRegex } from '../../../base/python-regex.js'
import { splitWhiteSpace, stripWhiteSpace } from '../../../base/white-space.js'
import { contractions } from './contractions.js'

const numberWords: ReadonlyMap<string, string> = new Map([
  ['none', '0'],
  ...'zero one two three four five six seven eight nine ten'.split(' ').map((word, i) => [word, String(i)] as const),
])
const articles: ReadonlySet<string> = new Set(['a', 'an', 'the'])

const punctuation: readonly string[] = Array.from(';/[]"{}()=+\\_-><@`,?!')
const commaBetweenDigits = pythonRegex(String.raw`(?<=\d),+(?=\d)`)
const lastDot = pythonRegex(String.raw`\.(?!\d)`, 'g')
/** The reference hands a flag to the parameter that says how many dots are removed at most; the flag's value is 32. */
const mostDots = 32

/**
 * Punctuation goes, or becomes a space: a mark that touches a space somewhere in the text goes everywhere, and all marks go where a
 * comma stands between digits. A dot stays only before a digit.
 */
export function stripVqaPunctuation(text: string): string {
  const removesAll = commaBetweenDigits.test(text)
  const plain = punctuation.reduce((rest, mark) => {
    const goes = removesAll || text.includes(`${mark} `) || text.includes(` ${mark}`)
    return rest.replaceAll(mark, goes ? '' : ' ')
  }, text)
  let dots = 0
  return plain.replace(lastDot, dot => (++dots > mostDots ? dot : ''))
}

/** Lower case; number words to ten as digits, articles dropped, contractions with their apostrophe, single spaces. */
export function normaliseVqaWords(text: string): string {
  return splitWhiteSpace(text.toLowerCase())
    .map(word => numberWords.get(word) ?? word)
    .filter(word => !articles.has(word))
    .map(word => contractions.get(word) ?? word)
    .join(' ')
}

/** The whole normaliser, as TextVQA applies it: lower case without `,` and `?`, `'s` apart, then punctuation, then words. */
export function normaliseVqaAnswer(text: string): string {
  const tokens = text.toLowerCase().replace(/[,?]/g, '').replaceAll("'s", " 's")
  return normaliseVqaWords(stripVqaPunctuation(onOneLine(tokens)))
}

/** Punctuation and words alone, as VQAv2 applies it. */
export const normaliseVqaV2Answer = (text: string): string => normaliseVqaWords(stripVqaPunctuation(onOneLine(text)))

const onOneLine = (text: string): string => stripWhiteSpace(stripWhiteSpace(text).replace(/[\n\t]/g, ' '))

/**
 * Mean over the human answers of min(1, how many of the other ones equal the prediction / 3): from 0 to 1. Answers and prediction
 * are normalised before. Each answer is left out once by its place, so equal answers all count.
 */
export function vqaAccuracy(prediction: string, answers: readonly string[]): number {
  if (answers.length === 0) throw new Error('there is no human answer to compare with')
  const matches = answers.filter(answer => answer === prediction).length
  const share = (others: number): number => Math.min(1, others / 3)
  return (matches * share(matches - 1) + (answers.length - matches) * share(matches)) / answers.length
}
