import { splitWhiteSpace } from '../../../base/white-space.js'
import { codePointCount, codePointDistance } from '../text/code-points.js'

/**
 * Normalised Levenshtein similarity to the nearest reference, 0 to 1; below `threshold` it is 0.
 *
 * Distances are over code points of lower-case texts with single spaces, and are divided by the length of the longer
 * text as given, in upper case: the definition of the public evaluation script. The paper divides by the length of the
 * compared texts, and wants more than the threshold where this wants no less.
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
