import { z } from 'zod'
import { splitWhiteSpace } from '../../../../base/python/white-space.js'
import { defineAggregation } from '../../define/define-aggregation.js'
import { defineMetric, scored } from '../../define/define-metric.js'
import { pythonRound } from '../../text/python-number.js'
import { bleuSegment, bleuTokenizers, type BleuTokenizerName } from '../../text/translation-tokenizers.js'
import { corpusFold, signature, sliceSums, yesNo, type ReferenceCount, type TermsOf } from './corpus-fold.js'
import { clippedMatches, mostNgrams, numberNgrams } from './ngrams.js'

const tokenizerNames = Object.keys(bleuTokenizers) as readonly BleuTokenizerName[]

const smoothDefaults = { none: null, floor: 0.1, 'add-k': 1, exp: null } as const

/** sacrebleu's arguments, under its names. */
export const bleuShape = {
  /** True to compare both sides in lower case. */
  lowercase: z.boolean().default(false),
  /** The tokenizer. @default '13a' */
  tokenize: z
    .enum(tokenizerNames, {
      error: ({ input }) =>
        `${JSON.stringify(input)} is none of ${tokenizerNames.join(', ')}; sacrebleu's others need MeCab's dictionaries or a SentencePiece model`,
    })
    .nullish()
    .transform(name => name ?? '13a'),
  /**
   * The replacement for a precision of 0 if some n-grams match: a halving sequence, `smooth_value`, or nothing. `add-k`
   * increases the counts by k instead.
   */
  smooth_method: z.enum(['exp', 'floor', 'add-k', 'none']).default('exp'),
  /** The value for `floor` (default 0.1) and `add-k` (default 1). */
  smooth_value: z.number().min(0).nullish(),
  max_ngram_order: z.int().min(1).max(1000).default(4),
  /** True to leave out orders for which the answers are too short. It is meant for scores of single segments. */
  effective_order: z.boolean().default(false),
} as const

export type BleuOptions = z.output<z.ZodObject<typeof bleuShape>>

/** The sufficient statistics of a segment, or their sums over segments. Lists are by order, from 1. */
export interface BleuStatistics {
  /** Clipped matches. */
  readonly counts: readonly number[]
  /** The number of n-grams in the answer. */
  readonly totals: readonly number[]
  /** The number of tokens in the answer. `ref_len` is that of the reference with the closest length. */
  readonly sys_len: number
  readonly ref_len: number
}

/** The statistics as a list: matches, n-grams, and both lengths. */
export const bleuTerms: TermsOf<BleuStatistics> = {
  list: ({ counts, totals, sys_len, ref_len }) => [...counts, ...totals, sys_len, ref_len],
  read(sums) {
    const orders = (sums.length - 2) / 2
    return {
      counts: sliceSums(sums, 0, orders),
      totals: sliceSums(sums, orders, 2 * orders),
      sys_len: sums[2 * orders] ?? 0,
      ref_len: sums[2 * orders + 1] ?? 0,
    }
  },
}

/** `counts` and `totals` after smoothing, precisions and score in per cent. */
interface BleuScore extends BleuStatistics {
  readonly score: number
  readonly precisions: readonly number[]
  /** The brevity penalty, in [0, 1]. */
  readonly bp: number
}

/** Computes the statistics of a segment. @throws Error if there is no reference. */
export function bleuStatistics(answer: string, references: readonly string[], options: BleuOptions): BleuStatistics {
  if (references.length === 0) throw new Error('BLEU compares with references, and this doc has none')
  const words = [answer, ...references].map(text =>
    splitWhiteSpace(bleuSegment(text, options.tokenize, options.lowercase)),
  )
  const { sequences, size } = numberNgrams(words, options.max_ngram_order)
  const [own = [], ...referenceNgrams] = sequences
  const [length = 0, ...lengths] = words.map(segment => segment.length)
  return {
    counts: clippedMatches(own, mostNgrams(referenceNgrams, size)),
    totals: own.map(order => order.length),
    sys_len: length,
    ref_len: nearestLength(length, lengths),
  }
}

/** The closest length; the shorter one if two are equally close. */
const nearestLength = (length: number, lengths: readonly number[]): number =>
  lengths.reduce((best, candidate) => {
    const [gap, bestGap] = [Math.abs(length - candidate), Math.abs(length - best)]
    return gap < bestGap || (gap === bestGap && candidate < best) ? candidate : best
  })

/**
 * BLEU of summed statistics: brevity penalty times the geometric mean of the precisions.
 *
 * Source: Papineni et al. (2002), smoothing after Chen and Cherry (2014), as in sacrebleu 2.6.0, `metrics/bleu.py`.
 */
export function bleuScore(statistics: BleuStatistics, options: BleuOptions): BleuScore {
  const { sys_len, ref_len } = statistics
  const bp = sys_len >= ref_len ? 1 : sys_len > 0 ? Math.exp(1 - ref_len / sys_len) : 0
  const none = { ...statistics, precisions: statistics.counts.map(() => 0), bp, score: 0 }
  if (statistics.counts.every(count => count === 0)) return none
  const smoothed = smooth(statistics, options)
  const used = smoothed.precisions.slice(0, options.effective_order ? smoothed.reached : undefined)
  const logs = used.reduce((sum, precision) => sum + (precision === 0 ? lowestLog : Math.log(precision)), 0)
  return { ...none, ...smoothed.shown, score: bp * Math.exp(logs / used.length) }
}

/** The value that sacrebleu uses for log 0. */
const lowestLog = -9999999999

interface Smoothed {
  readonly shown: Pick<BleuScore, 'counts' | 'totals' | 'precisions'>
  readonly precisions: readonly number[]
  /** The longest order of which the answers have n-grams. */
  readonly reached: number
}

function smooth(
  statistics: BleuStatistics,
  { smooth_method: method, smooth_value: smoothValue }: BleuOptions,
): Smoothed {
  const value = smoothValue ?? smoothDefaults[method] ?? 0
  const raise = (count: number, at: number): number => (method === 'add-k' && at > 0 ? count + value : count)
  const counts = statistics.counts.map(raise)
  const totals = statistics.totals.map(raise)
  const end = totals.indexOf(0)
  const reached = end === -1 ? totals.length : end
  let halving = 1
  const precisions = counts.map((count, at) => {
    const total = totals[at] ?? 0
    if (at >= reached) return 0
    if (count > 0) return (100 * count) / total
    if (method === 'exp') return 100 / ((halving *= 2) * total)
    return method === 'floor' ? (100 * value) / total : 0
  })
  return { shown: { counts, totals, precisions }, precisions, reached }
}

/** The signature, such as `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0`. */
export function bleuSignature(references: ReferenceCount, options: BleuOptions): string {
  const { smooth_method: method, smooth_value: value } = options
  const standard = smoothDefaults[method]
  return signature(references, {
    case: options.lowercase ? 'lc' : 'mixed',
    eff: yesNo(options.effective_order),
    tok: options.tokenize,
    smooth: standard === null ? method : `${method}[${pythonRound(value ?? standard, 2).toFixed(2)}]`,
  })
}

/**
 * BLEU over n-grams of 1 to 4 words. A doc's value is its sufficient statistics and its own `score` in [0, 100],
 * computed with effective order. The aggregate is the corpus's BLEU in [0, 100], with the signature. Higher is
 * better.
 *
 * Source: Papineni et al. (2002), as sacrebleu 2.6.0 computes it, with its arguments and its defaults `13a` and
 * `exp`.
 */
export const bleu = defineMetric({
  id: 'bleu',
  needsTimeLimit: false,
  args: z.strictObject(bleuShape),
  higherIsBetter: true,
  aggregation: 'bleu',
  judge({ text, references }, options) {
    const statistics = bleuStatistics(text, references, options)
    const { score } = bleuScore(statistics, { ...options, effective_order: true })
    return scored({ score, ...statistics, nrefs: references.length })
  },
})

const listOfNumbers = z.array(z.number())

/**
 * BLEU of all docs as one corpus, with sacrebleu's signature. It takes values of the metric `bleu`, or
 * `[reference(s), answer]`.
 *
 * Source: sacrebleu 2.6.0, `BLEU.corpus_score`.
 */
export const bleuAggregation = defineAggregation({
  id: 'bleu',
  of: 'folded',
  args: z.object(bleuShape),
  start: options =>
    corpusFold<BleuStatistics>({
      statistics: z.object({ counts: listOfNumbers, totals: listOfNumbers, sys_len: z.number(), ref_len: z.number() }),
      compare: (answer, references) => bleuStatistics(answer, references, options),
      terms: bleuTerms,
      score: total => bleuScore(total, options).score,
      note: references => `BLEU|${bleuSignature(references, options)}`,
    }),
})
