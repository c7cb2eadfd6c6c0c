import { subsequenceLength, subsequenceOf } from '../../text/common-subsequence.js'
import { linesInCommon, type Line } from '../../text/lines-in-common.js'
import { commonCount, countRuns } from '../../text/ngram-counts.js'
import { rougeTokens } from '../../text/rouge-tokens.js'
import { noRouge, rougeScore, type RougeScore } from './f-score.js'

/** N-grams of 1 to 9 words, the longest common subsequence, and that of a summary's lines. */
export const rougeVariants = [
  'rouge1',
  'rouge2',
  'rouge3',
  'rouge4',
  'rouge5',
  'rouge6',
  'rouge7',
  'rouge8',
  'rouge9',
  'rougeL',
  'rougeLsum',
] as const

export type RougeVariant = (typeof rougeVariants)[number]

export interface RougeOptions {
  readonly variant: RougeVariant
  /** Compares words longer than three characters by their stems. */
  readonly useStemmer: boolean
}

/**
 * ROUGE of an answer against one reference.
 *
 * Source: Lin (2004), as rouge-score 0.1.2, `RougeScorer.score`.
 */
export function googleRouge(answer: string, reference: string, { variant, useStemmer }: RougeOptions): RougeScore {
  if (variant === 'rougeLsum') return summaryScore(linesOf(answer, useStemmer), linesOf(reference, useStemmer))
  const [own, other] = [rougeTokens(answer, useStemmer), rougeTokens(reference, useStemmer)]
  if (variant === 'rougeL') return rougeScore(subsequenceLength(other, own), own.length, other.length)
  const n = Number(variant.slice('rouge'.length))
  const common = commonCount(countRuns(other, n), countRuns(own, n))
  return rougeScore(common, own.length - n + 1, other.length - n + 1)
}

/** Of several references the one with the best F-measure, the first of equals. @throws Error where there is none. */
export function bestGoogleRouge(answer: string, references: readonly string[], options: RougeOptions): RougeScore {
  const [first, ...more] = references.map(reference => googleRouge(answer, reference, options))
  if (first === undefined) throw new Error('ROUGE compares with references, and this doc has none')
  return more.reduce((best, score) => (score.fmeasure > best.fmeasure ? score : best), first)
}

const linesOf = (text: string, useStemmer: boolean): readonly Line[] =>
  text.split('\n').map(line => rougeTokens(line, useStemmer))

/** A word of a reference's line counts where it is in the longest common subsequence with any line of the answer. */
function summaryScore(own: readonly Line[], others: readonly Line[]): RougeScore {
  const [ownWords, otherWords] = [own.flat(), others.flat()]
  if (ownWords.length === 0 || otherWords.length === 0) return noRouge
  // No word counts more often than it stands on either side.
  const left = new Map(countRuns(ownWords, 1))
  const ownInCommon = linesInCommon(own)
  let hits = 0
  for (const other of others) {
    const found = new Set(ownInCommon(other).flatMap(line => subsequenceOf(other, line, 'a')))
    for (const at of found) {
      const word = other[at] ?? ''
      const rest = left.get(word) ?? 0
      if (rest === 0) continue
      hits++
      left.set(word, rest - 1)
    }
  }
  return rougeScore(hits, ownWords.length, otherWords.length)
}
