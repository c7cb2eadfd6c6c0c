import { z } from 'zod'
import { judgeChoice } from '../choice.js'
import { defineMetric, scored } from '../define-metric.js'
import { textRules } from './reading/text-rules.js'

/**
 * Accuracy from log-likelihoods: 1 where the likeliest choice is a target, else 0; of equally likely ones the first. For a single
 * continuation, whether greedy decoding gives it. Higher is better.
 *
 * Source: lm-evaluation-harness, `api/task.py`, process_results.
 */
export const acc = defineMetric({
  id: 'acc',
  // lm-evaluation-harness's files have them here, too. They change nothing: no text is compared.
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
