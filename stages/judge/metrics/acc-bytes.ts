import { z } from 'zod'
import { judgeChoice } from '../choice.js'
import { defineMetric } from '../define-metric.js'

/**
 * Accuracy with each choice's log-likelihood divided by its length in UTF-8 bytes. Otherwise as `acc`. Higher is better.
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
