import { editsOf, hypothesisLength, referenceLength, type ErrorCounts } from './error-counts.js'

/**
 * What error counts come to. `wer`: edits for each item of the reference, in [0, ∞), the number of insertions where the reference
 * is empty. `mer`, the match error rate: the share of edits among all aligned items, in [0, 1]. `wip`, the word information preserved:
 * share of hits in the reference times that in the answer, in [0, 1]. `wil`, the word information lost: 1 − wip.
 *
 * Sources: Morris, Maier and Green, "From WER and RIL to MER and WIL: improved evaluation measures for connected speech recognition",
 * Interspeech 2004; edge cases as jiwer 4.0.0.
 */
export const measures = {
  wer(counts) {
    const length = referenceLength(counts)
    return length === 0 ? counts.insertions : editsOf(counts) / length
  },
  mer(counts) {
    const aligned = counts.hits + editsOf(counts)
    return aligned === 0 ? 0 : editsOf(counts) / aligned
  },
  wip,
  wil: counts => 1 - wip(counts),
} as const satisfies Readonly<Record<string, (counts: ErrorCounts) => number>>

function wip(counts: ErrorCounts): number {
  const [said, heard] = [referenceLength(counts), hypothesisLength(counts)]
  if (said === 0) return heard === 0 ? 1 : 0
  return heard === 0 ? 0 : (counts.hits / said) * (counts.hits / heard)
}
