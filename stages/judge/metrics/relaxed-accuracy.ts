import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { isRelaxedMatch, isZero } from '../helpers/relaxed.js'

/**
 * 1 where the answer is a number within `tolerance` · |reference| of a reference, or the same text but for letter case, else 0. Higher is
 * better. Units, currency signs and thousands commas make a text of a number.
 *
 * Source: Masry et al. 2022, ChartQA (https://arxiv.org/abs/2203.10244), end of section 5.1.
 */
export const relaxedAccuracy = defineMetric({
  id: 'relaxed_accuracy',
  args: z.strictObject({ tolerance: z.number().min(0).default(0.05) }),
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references, parity }, { tolerance }) {
    // There a target of 0 is compared as a text.
    const isRight = (reference: string): boolean =>
      parity === 'lmms-eval' && isZero(reference)
        ? text.toLowerCase() === reference.toLowerCase()
        : isRelaxedMatch(text, reference, tolerance)
    return scored(references.some(isRight) ? 1 : 0)
  },
})
