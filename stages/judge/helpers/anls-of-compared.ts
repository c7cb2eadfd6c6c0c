import { splitWhiteSpace } from '../../../base/white-space.js'
import { codePointCount, codePointDistance } from '../text/code-points.js'

/**
 * Normalised Levenshtein similarity to the nearest reference, 0 to 1, with distances divided by the length of the longer of the texts
 * that are compared (in small letters, single spaces); 0 where `threshold` of that or more differs: the definition of the paper.
 *
 * Source: Biten et al. 2019 (https://arxiv.org/abs/1905.13648), as the Python package anls 0.0.2.
 *
 * @throws Error where there is no reference.
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

const plain = (text: string): string => splitWhiteSpace(text.toLowerCase()).join(' ')
