import { commonCount, countRuns } from '../text/ngram-counts.js'

/**
 * BLEU-4 of one answer against one reference in [0, 1], with code points as tokens. An order without a match counts
 * as a tenth of one match. Without any common character the value is 0.
 * No shipped task uses it yet; see `docs/decisions/helpers-before-tasks.md`.
 *
 * Source: Papineni et al. (2002), Chen and Cherry (2014) smoothing 1, as NLTK 3.10.4, `sentence_bleu` with
 * `method1`.
 */
export function characterBleu(answer: string, reference: string): number {
  const [own, other] = [Array.from(answer), Array.from(reference)]
  const matches = [1, 2, 3, 4].map(n => commonCount(countRuns(own, n), countRuns(other, n)))
  if (matches[0] === 0) return 0
  const logs = matches.map((count, i) => Math.log((count === 0 ? 0.1 : count) / Math.max(1, own.length - i)))
  const brevity = own.length > other.length ? 1 : Math.exp(1 - other.length / own.length)
  return brevity * Math.exp(logs.reduce((sum, log) => sum + log / 4, 0))
}
