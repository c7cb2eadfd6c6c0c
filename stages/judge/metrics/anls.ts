import { z } from 'zod'
import { splitWhiteSpace } from '../../../base/python/white-space.js'
import { defineMetric, scored } from '../define/define-metric.js'
import { codePointCount, codePointDistance } from '../text/code-points.js'

/**
 * Average normalised Levenshtein similarity to the closest reference, 0 to 1; 0 below `thresh_hold`. Higher is
 * better. {@link anlsScore} gives the exact definition.
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

/**
 * Normalised Levenshtein similarity to the closest reference, 0 to 1; below `threshold` it is 0.
 *
 * The definition is that of the public evaluation script. The distance is that of the code points of lower-case
 * texts with single spaces. It is divided by the length of the longer original text in upper case. The paper
 * divides by the length of the compared texts, and accepts only values above the threshold, where the script also
 * accepts the threshold.
 *
 * Source: Biten et al. 2019 (https://arxiv.org/abs/1905.13648); https://github.com/QwenLM/Qwen-VL,
 * `eval_mm/infographicsvqa_eval.py`.
 */
export function anlsScore(prediction: string, references: readonly string[], threshold = 0.5): number {
  if (references.length === 0) throw new Error('there is no reference to compare with')
  const distances = references.map(reference => {
    const length = Math.max(codePointCount(reference.toUpperCase()), codePointCount(prediction.toUpperCase()))
    return length === 0 ? 0 : codePointDistance(plain(reference), plain(prediction)) / length
  })
  const similarity = 1 - Math.min(...distances)
  return similarity < threshold ? 0 : similarity
}

const plain = (text: string): string => splitWhiteSpace(text.toLowerCase()).join(' ')

/**
 * Normalised Levenshtein similarity to the closest reference, 0 to 1, by the definition of the paper. The distance is
 * divided by the length of the longer compared text, which is in lower case with single spaces. The value is 0 if at
 * least the share `threshold` differs. No shipped task uses it yet; see `docs/decisions/helpers-before-tasks.md`.
 *
 * Source: Biten et al. 2019 (https://arxiv.org/abs/1905.13648), as the Python package anls 0.0.2.
 *
 * @throws Error if there is no reference.
 */
export function anlsOfCompared(prediction: string, references: readonly string[], threshold = 0.5): number {
  if (references.length === 0) throw new Error('there is no reference to compare with')
  const answer = plain(prediction)
  const scores = references.map(plain).map(reference => {
    const length = Math.max(codePointCount(answer.toUpperCase()), codePointCount(reference.toUpperCase()))
    const distance = length === 0 ? 0 : codePointDistance(answer, reference) / length
    return distance < threshold ? 1 - distance : 0
  })
  return Math.max(...scores)
}
