import { z } from 'zod'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import { defineMetric, scored, unparsed } from '../define/define-metric.js'
import { lastBoxed } from '../math/answer-boxes.js'
import { mathAnswers, mathTargets, type FoundAnswer } from '../math/math-answer.js'
import { isMathEqual, isReadable, isWords } from '../math/math-equal.js'
import { isPercentage, plainMath, withoutPercent } from '../math/math-text.js'
import { findSaidWords } from '../math/said-words.js'
import { readNumberWords } from '../numbers/number-words.js'

const args = z.strictObject({
  /** True to extract the answer first: the last box, else the last formula, else the last number. */
  extract: z.boolean().default(true),
})

/**
 * 1 if the answer equals a target mathematically, else 0. Both can be LaTeX or plain text: numbers, expressions,
 * tuples, sets, unions of intervals, matrices, equations and inequalities. Higher is better. A target without dollar
 * signs or a box is read as a formula, an answer as a text with a formula in it. An answer that can't be read is
 * unparsed and counts 0.
 *
 * Follows the verdicts of math-verify 0.9.0 (https://github.com/huggingface/Math-Verify).
 */
export const mathEqual = defineMetric({
  id: 'math_equal',
  args,
  higherIsBetter: true,
  range: [0, 1],
  readAnswer({ text }, { extract }) {
    const [found] = extract ? withNumberWords(mathAnswers(text), text).texts : [text]
    return found === undefined ? undefined : plainMath(found)
  },
  judge({ text, references }, { extract }) {
    const targets = references.flatMap(reference => (extract ? mathTargets(reference) : [reference]))
    const foundAnswer = extract ? mathAnswers(text) : { texts: [text], isPlain: false }
    if (references.some(reference => isSameText(reference, text))) return scored(1)
    const words = extract && lastBoxed(text) === undefined ? targets.filter(isWords) : []
    const answer =
      words.length > 0 ? withSaidWords(foundAnswer, text) : extract ? withNumberWords(foundAnswer, text) : foundAnswer
    if (answer.texts.length === 0) return unparsed('the answer holds no box, formula or number')
    if (targets.some(target => isAnswer(target, answer))) return scored(1)
    if (words.some(target => mentions(answer.texts[0] ?? '', target)))
      return unparsed('the answer mentions the words of the target among others')
    if (!answer.texts.some(isReadable) && targets.every(isReadable))
      return unparsed(`the answer ${JSON.stringify(answer.texts[0]?.slice(0, 100))} is not mathematics`)
    return scored(0)
  },
})

/** Adds the words that the answer ends with, for a target of words. */
const withSaidWords = ({ texts }: FoundAnswer, text: string): FoundAnswer => ({
  texts: [findSaidWords(text), ...texts].filter(candidate => candidate !== ''),
  isPlain: true,
})

/** The number in words that a text without digits and formulas ends with, such as "The answer is forty-two." */
function withNumberWords(foundAnswer: FoundAnswer, text: string): FoundAnswer {
  const value = /[\\\p{N}$]/u.test(text) ? undefined : readNumberWords(text, true)
  return value === undefined ? foundAnswer : { texts: [`${String(value.top)}/${String(value.bottom)}`], isPlain: true }
}

const mentions = (phrase: string, target: string): boolean =>
  ` ${phrase.toLowerCase()} `.includes(` ${plainMath(target).toLowerCase()} `)

const isSameText = (reference: string, text: string): boolean =>
  stripWhiteSpace(text) !== '' && withoutMarkup(text) === withoutMarkup(reference)

/** The text without the markup of words, which `3\text{ hours}` has and `3 hours` has not. */
const withoutMarkup = (text: string): string =>
  stripWhiteSpace(text.replace(/\\(?:text|mbox|textrm|mathrm)\s*\{([^{}]*)\}/g, '$1')).replace(/\s+/g, ' ')

const isAnswer = (target: string, { texts, isPlain }: FoundAnswer): boolean =>
  texts
    .flatMap(text => [text, ...exactParts(text)])
    .some(text => isMathEqual(target, text) || isSamePercentage(target, text, isPlain))

/** The part before `≈`: `\frac{7}{12} \approx 0.583` answers 7/12, too. */
const exactParts = (text: string): readonly string[] =>
  (/^(.+?)\s*(?:\\approx(?![a-zA-Z])|≈)/s.exec(text) ?? []).slice(1)

/**
 * Returns whether an answer and a target are equal if a per cent sign of one of them is ignored. In math-verify `20%`
 * equals 20, and `12.5%` equals 12.5 in a sentence only.
 */
function isSamePercentage(target: string, text: string, isPlain: boolean): boolean {
  if (isPercentage(target) === isPercentage(text)) return false
  const [right, answerText] = [withoutPercent(target), withoutPercent(text)]
  const isWhole = /^-?\d+$/.test(plainMath(right)) && /^-?\d+$/.test(plainMath(answerText))
  return (isWhole || (isPlain && isPercentage(text))) && isMathEqual(right, answerText)
}
