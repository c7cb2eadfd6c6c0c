import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { anlsScore } from '../helpers/anls.js'

/**
 * Average normalised Levenshtein similarity: how near the answer is to the nearest reference, 0 to 1; 0 below `thresh_hold`. Higher is
 * better. For the exact definition see {@link anlsScore}.
 *
 * Source: Biten et al. 2019 (https://arxiv.org/abs/1905.13648).
 */
export const anls = defineMetric({
  id: 'anls',
  args: z.strictObject({ thresh_hold: z.number().min(0).max(1).default(0.5) }),
  higherIsBetter: true,
  range: [0, 1],
  judge: ({ text, references }, { thresh_hold: threshold }) => scored(anlsScore(text, references, threshold)),
})
