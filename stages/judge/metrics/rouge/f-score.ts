/** What share of the answer is in the reference, of the reference in the answer, and both together; in [0, 1]. */
export interface RougeScore {
  readonly precision: number
  readonly recall: number
  readonly fmeasure: number
}

export const noRouge: RougeScore = { precision: 0, recall: 0, fmeasure: 0 }

/** The harmonic mean of precision and recall. */
export function rougeScore(common: number, answer: number, reference: number): RougeScore {
  const precision = common / Math.max(answer, 1)
  const recall = common / Math.max(reference, 1)
  return { precision, recall, fmeasure: common > 0 ? (2 * precision * recall) / (precision + recall) : 0 }
}
