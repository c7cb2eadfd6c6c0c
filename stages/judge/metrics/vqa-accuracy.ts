/**
 * Accuracy of short answers to questions about pictures, as VQAv2 and TextVQA count it.
 *
 * Sources: Antol et al. 2015 (https://arxiv.org/abs/1505.00468); https://visualqa.org/evaluation.html; the answer processor of MMF,
 * which lmms-eval 0.7.2 has in `tasks/_task_utils/vqa_eval_metric.py`.
 */
import { z } from 'zod'
import { pythonRegex } from '../../../base/python/python-regex.js'
import { splitWhiteSpace, stripWhiteSpace } from '../../../base/python/white-space.js'
import { defineMetric, scored } from '../define/define-metric.js'

/**
 * How far people agree with the answer: 1 where at least three others of them gave it, averaged over leaving each one out; 0 to 1.
 * Higher is better. The targets are the answers of all people, equal ones too.
 *
 * `normaliser`: `textvqa` is the whole one; `vqav2` leaves commas, question marks and `'s` to the rule for punctuation.
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
function vqaAgreement(prediction: string, answers: readonly string[]): number {
  if (answers.length === 0) throw new Error('there is no human answer to compare with')
  const matches = answers.filter(answer => answer === prediction).length
  const share = (others: number): number => Math.min(1, others / 3)
  return (matches * share(matches - 1) + (answers.length - matches) * share(matches)) / answers.length
}

/** The contractions that the VQA evaluation puts right, as they should be. */
const correct =
  "ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't he'd he'd've he's " +
  "how'd how'll how's isn't it'd it'd've it'll ma'am might've mightn't mightn't've must've mustn't needn't not've o'clock " +
  "oughtn't 'ow's'at shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's someone'd " +
  "someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've there're there's " +
  "they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're what's what've when's where'd " +
  "where's where've who'd who'd've who'll who's who've why'll why're why's won't would've wouldn't wouldn't've y'all " +
  "y'all'd've y'all'll you'd you'd've you'll you're you've"

/**
 * What a word with one apostrophe missing stands for: `dont`, `couldnt've`. As in the public list, "somebody'd" alone goes the
 * other way, and words that are none without an apostrophe ("wed", "shell", "id") are not there.
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
