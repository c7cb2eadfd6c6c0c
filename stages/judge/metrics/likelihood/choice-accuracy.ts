import { z } from 'zod'
import { argmax, choiceLogprobs, judgeChoice, mutualInformation } from '../../define/choice.js'
import { defineMetric, scored, unparsed } from '../../define/define-metric.js'
import { targetIndexes } from '../../define/target.js'
import { textRules } from '../text-rules.js'

/**
 * Accuracy from log-likelihoods: 1 if the most likely choice is a target, else 0. The first of equally likely
 * choices counts. For a single continuation it is 1 if greedy decoding gives it. Higher is better.
 *
 * Source: lm-evaluation-harness, `api/task.py`, process_results.
 */
export const acc = defineMetric({
  id: 'acc',
  // Task files of lm-evaluation-harness set these options here too. They have no effect, since no text is compared.
  args: z.strictObject(textRules),
  higherIsBetter: true,
  range: [0, 1],
  reads: 'logprobs',
  needsTimeLimit: false,
  judge(input) {
    if (input.record.choices !== undefined) return judgeChoice(input, () => 1)
    const greedy = input.bodies[0]?.isGreedy
    if (greedy === undefined) throw new Error('the answer does not say whether the continuation is greedy')
    return scored(greedy ? 1 : 0)
  },
})

/**
 * Like `acc`, with each choice's log-likelihood divided by its number of characters (Unicode code points), so that
 * long choices have no disadvantage. `acc_bytes` divides by bytes. Higher is better.
 *
 * Source: lm-evaluation-harness, `api/task.py`, process_results.
 */
export const accNorm = defineMetric({
  id: 'acc_norm',
  args: z.strictObject({}),
  higherIsBetter: true,
  range: [0, 1],
  reads: 'logprobs',
  needsTimeLimit: false,
  judge: input => judgeChoice(input, choice => Array.from(choice).length),
})

/**
 * Like `acc`, with each choice's log-likelihood divided by its length in UTF-8 bytes. Higher is better.
 *
 * Source: lm-evaluation-harness, `api/task.py`, process_results.
 */
export const accBytes = defineMetric({
  id: 'acc_bytes',
  args: z.strictObject({}),
  higherIsBetter: true,
  range: [0, 1],
  reads: 'logprobs',
  judge: input => judgeChoice(input, choice => Buffer.byteLength(choice)),
})

/**
 * Accuracy of the choice with the largest difference between its log-likelihoods with and without context. 1 or 0
 * for each doc. Higher is better.
 *
 * The doc has two answers for each choice: first those of all choices with context, then those of all choices
 * without.
 *
 * Source: lm-evaluation-harness, `api/task.py`, process_results; Holtzman et al. 2021
 * (https://arxiv.org/abs/2104.08315).
 */
export const accMutualInfo = defineMetric({
  id: 'acc_mutual_info',
  args: z.strictObject({}),
  higherIsBetter: true,
  range: [0, 1],
  reads: 'logprobs',
  judge(input) {
    const { target, choices = [] } = input.record
    const gains = mutualInformation(input)
    const golds = targetIndexes(target, [choices], choices.length)
    if (golds.length === 0) return unparsed(`the target ${JSON.stringify(target)} is none of the choices`)
    return scored(golds.includes(argmax(gains)) ? 1 : 0)
  },
})

/**
 * The index of the right choice and the log-likelihoods of all, `[index, [log-likelihoods]]`, for an aggregation of the
 * task's own. It has no number itself.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, likelihood.
 */
export const likelihood = defineMetric({
  id: 'likelihood',
  args: z.strictObject({}),
  higherIsBetter: true,
  reads: 'logprobs',
  aggregation: 'bypass',
  judge(input) {
    const { target, choices = [] } = input.record
    const [gold] = targetIndexes(target, [choices], choices.length)
    if (gold === undefined) return unparsed(`the target ${JSON.stringify(target)} is none of the choices`)
    return scored([gold, [...choiceLogprobs(input)]])
  },
})
