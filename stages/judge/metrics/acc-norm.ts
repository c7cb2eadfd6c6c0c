import { z } from 'zod'
import { judgeChoice } from '../choice.js'
import { defineMetric } from '../define-metric.js'

/**
 * Accuracy with each choice's log-likelihood divided by the number of its characters (Unicode code points), so that long
 * choices are not at a disadvantage. Otherwise as `acc`; `acc_bytes` divides by bytes. Higher is better.
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
