/**
 * Accuracy of short answers to questions about images, as in VQAv2 and TextVQA.
 *
 * Sources: Antol et al. 2015 (https://arxiv.org/abs/1505.00468); https://visualqa.org/evaluation.html; the answer
 * processor of MMF, as in lmms-eval 0.7.2, `tasks/_task_utils/vqa_eval_metric.py`.
 */
import { z } from 'zod'
import { pythonRegex } from '../../../base/python/python-regex.js'
import { splitWhiteSpace, stripWhiteSpace } from '../../../base/python/white-space.js'
import { defineMetric, scored } from '../define/define-metric.js'

/**
 * The agreement of the answer with human answers, 0 to 1. Each human answer is left out in turn. The agreement is 1
 * if at least three of the others equal the answer, and their share of three otherwise; it is averaged. The targets
 * are all human answers, with repetitions. Higher is better.
 *
 * `normaliser`: `textvqa` is the full one; `vqav2` leaves commas, question marks and `'s` to the rule for
 * punctuation.
 *
 * Source: Antol et al. 2015 (https://arxiv.org/abs/1505.00468); https://visualqa.org/evaluation.html.
 */
export const vqaAccuracy = defineMetric({
  id: 'vqa_accuracy',
  args: z.strictObject({ normaliser: z.enum(['textvqa', 'vqav2']).default('textvqa') }),
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references }, { normaliser }) {
    const normalise = normaliser === 'textvqa' ? normaliseVqaAnswer : normaliseVqaV2Answer
    return scored(vqaAgreement(normalise(text), references.map(normalise)))
  },
})

const numberWords: ReadonlyMap<string, string> = new Map([
  ['none', '0'],
  ...'zero one two three four five six seven eight nine ten'.split(' ').map((word, i) => [word, String(i)] as const),
])
const articles: ReadonlySet<string> = new Set(['a', 'an', 'the'])

const punctuation: readonly string[] = Array.from(';/[]"{}()=+\\_-><@`,?!')
const commaBetweenDigits = pythonRegex(String.raw`(?<=\d),+(?=\d)`)
const lastDot = pythonRegex(String.raw`\.(?!\d)`, 'g')
/** The reference passes a flag as the maximum number of dots to remove. The flag's value is 32. */
const mostDots = 32

/**
 * Removes punctuation or replaces it by spaces. A mark with a space beside it anywhere in the text is removed
 * everywhere. If a comma is between digits, all marks are removed. A dot stays only before a digit.
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

/**
 * Puts words in lower case, writes number words up to ten in digits, removes articles and adds missing apostrophes.
 * The result has single spaces.
 */
export function normaliseVqaWords(text: string): string {
  return splitWhiteSpace(text.toLowerCase())
    .map(word => numberWords.get(word) ?? word)
    .filter(word => !articles.has(word))
    .map(word => contractions.get(word) ?? word)
    .join(' ')
}

/**
 * The full normaliser of TextVQA: lower case without `,` and `?`, with `'s` separated, then punctuation, then
 * words.
 */
export function normaliseVqaAnswer(text: string): string {
  const tokens = text.toLowerCase().replace(/[,?]/g, '').replaceAll("'s", " 's")
  return normaliseVqaWords(stripVqaPunctuation(onOneLine(tokens)))
}

/** The normaliser of VQAv2: only punctuation and words. */
export const normaliseVqaV2Answer = (text: string): string => normaliseVqaWords(stripVqaPunctuation(onOneLine(text)))

const onOneLine = (text: string): string => stripWhiteSpace(stripWhiteSpace(text).replace(/[\n\t]/g, ' '))

/**
 * The mean over the human answers of min(1, number of others that equal the prediction / 3), 0 to 1. All texts are
 * normalised. Answers are left out by position, so that equal answers all count.
 */
function vqaAgreement(prediction: string, answers: readonly string[]): number {
  if (answers.length === 0) throw new Error('there is no human answer to compare with')
  const matches = answers.filter(answer => answer === prediction).length
  const share = (otherMatches: number): number => Math.min(1, otherMatches / 3)
  return (matches * share(matches - 1) + (answers.length - matches) * share(matches)) / answers.length
}

/** The contractions that the VQA evaluation corrects, in their correct form. */
const correct =
  "ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't he'd he'd've he's " +
  "how'd how'll how's isn't it'd it'd've it'll ma'am might've mightn't mightn't've must've mustn't needn't not've o'clock " +
  "oughtn't 'ow's'at shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's someone'd " +
  "someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've there're there's " +
  "they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're what's what've when's where'd " +
  "where's where've who'd who'd've who'll who's who've why'll why're why's won't would've wouldn't wouldn't've y'all " +
  "y'all'd've y'all'll you'd you'd've you'll you're you've"

/**
 * Contractions by their misspelt form with one missing apostrophe, such as `dont` or `couldnt've`. As in the public
 * list, "somebody'd" is mapped the other way. Words that mean something else without an apostrophe ("wed", "shell",
 * "id") are not in it.
 *
 * Source: https://github.com/GT-Vision-Lab/VQA, `PythonEvaluationTools/vqaEval.py`.
 */
const contractions: ReadonlyMap<string, string> = new Map([
  ...correct.split(' ').flatMap(word => withoutOneApostrophe(word).map(wrong => [wrong, word] as const)),
  ["somebody'd", 'somebodyd'],
])

function withoutOneApostrophe(word: string): readonly string[] {
  return Array.from(word.matchAll(/'/g), ({ index }) => word.slice(0, index) + word.slice(index + 1))
}
