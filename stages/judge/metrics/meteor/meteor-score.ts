/**
 * What METEOR counts of a caption and its best reference, 23 numbers that add up over captions: the lengths of answer and reference; their
 * function words; for each way to match (same word, stem, synonym, paraphrase) the content words of answer and reference, then the function
 * words of both; chunks; matched words of answer and reference.
 */
export type MeteorStatistics = readonly number[]

export const statisticsLength = 23

/** An answer that matches its reference word for word is no chunk: the penalty is for what lies in pieces. */
export function withoutWholeChunk(statistics: MeteorStatistics): MeteorStatistics {
  const [length, otherLength, chunks, own, other] = [0, 1, 20, 21, 22].map(i => statistics[i])
  const isWhole = own === length && other === otherLength && chunks === 1
  return isWhole ? statistics.with(20, 0) : statistics
}

/** Of English, tuned to rank translations as people do. */
const [alpha, beta, gamma, delta] = [0.85, 0.2, 0.6, 0.75]
const weights = [1, 0.6, 0.8, 0.6]

/**
 * METEOR of one caption's statistics or of their sums, in [0, 1].
 *
 * Source: Denkowski and Lavie (2014), as METEOR 1.5 with `-l en`.
 */
export function meteorScore(statistics: MeteorStatistics): number {
  const at = (i: number): number => statistics[i] ?? 0
  const weighed = (content: number, functional: number): number => delta * content + (1 - delta) * functional
  const share = (side: 0 | 1): number => {
    const [length, functional] = [at(side), at(2 + side)]
    const matches = weights.map((weight, i) => weight * weighed(at(4 + 4 * i + side), at(6 + 4 * i + side)))
    return length === 0 ? 0 : matches.reduce((sum, one) => sum + one, 0) / weighed(length - functional, functional)
  }
  const [precision, recall] = [share(0), share(1)]
  if (precision === 0 || recall === 0) return 0
  const mean = 1 / ((1 - alpha) / precision + alpha / recall)
  const fragmentation = at(20) / ((at(21) + at(22)) / 2)
  return mean * (1 - gamma * fragmentation ** beta)
}
