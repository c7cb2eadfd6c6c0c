import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { normaliseVqaAnswer, normaliseVqaV2Answer, vqaAccuracy as accuracyOf } from '../helpers/vqa.js'

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
    return scored(accuracyOf(normalise(text), references.map(normalise)))
  },
})
