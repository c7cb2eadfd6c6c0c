import { z } from 'zod'
import { defineMetric, scored, unparsed } from '../define/define-metric.js'
import { mathAnswers } from '../math/math-answer.js'
import { isMathEqual } from '../math/math-equal.js'

const args = z.strictObject({
  /** Whether to extract the answer first: the last box, else the last formula, else the last number. */
  extract: z.boolean().default(true),
})

/**
 * 1 if the answer equals a target mathematically, else 0. Both can be LaTeX or plain text: numbers, expressions,
 * tuples, sets, unions of intervals, matrices, equations and inequalities. Higher is better.
 *
 * Follows the verdicts of math-verify 0.8.0 (https://github.com/huggingface/Math-Verify).
 */
export const mathEqual = defineMetric({
  id: 'math_equal',
  args,
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references }, { extract }) {
    const answers = extract ? mathAnswers(text) : [text]
    if (answers.length === 0) return unparsed('the answer holds no box, formula or number')
    const targets = references.map(reference => (extract ? (mathAnswers(reference)[0] ?? reference) : reference))
    return scored(targets.some(target => answers.some(answer => isMathEqual(target, answer))) ? 1 : 0)
  },
})
