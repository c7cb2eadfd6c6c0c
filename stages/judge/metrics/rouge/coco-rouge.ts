import { subsequenceLength } from '../../text/common-subsequence.js'

/** How many times as important recall is as precision. */
const beta = 1.2

/**
 * ROUGE-L of captions, in [0, 1]: best precision and best recall over the references, each by itself. Captions are split at single
 * spaces, so that an empty one is one empty word; punctuation is to be gone.
 *
 * Source: pycocoevalcap 1.2, `rouge/rouge.py`.
 *
 * @throws Error where there is no reference.
 */
export function cocoRougeL(answer: string, references: readonly string[]): number {
  if (references.length === 0) throw new Error('ROUGE-L compares with references, and this doc has none')
  const own = answer.split(' ')
  let [precision, recall] = [0, 0]
  for (const reference of references) {
    const other = reference.split(' ')
    const common = subsequenceLength(other, own)
    precision = Math.max(precision, common / own.length)
    recall = Math.max(recall, common / other.length)
  }
  if (precision === 0 || recall === 0) return 0
  return ((1 + beta ** 2) * precision * recall) / (recall + beta ** 2 * precision)
}
