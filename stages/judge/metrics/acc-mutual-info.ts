import { z } from 'zod'
import { defineMetric, scored, unparsed } from '../define-metric.js'
import { argmax, mutualInformation } from '../choice.js'
import { targetIndexes } from '../target.js'

/**
 * Accuracy of the choice that gains most by its context: whose log-likelihood is largest beside that without any context. 1 or 0 a doc.
 * Higher is better.
 *
 * The doc has two answers a choice: first those of all choices in their context, then those of all choices without.
 *
 * Source: lm-evaluation-harness, `api/task.py`, process_results; Holtzman et al. 2021 (https://arxiv.org/abs/2104.08315).
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
