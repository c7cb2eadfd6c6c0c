import { z } from 'zod'
import { splitWhiteSpace } from '../../../../base/python/white-space.js'
import { defineAggregation } from '../../define/define-aggregation.js'
import { defineMetric, scored } from '../../define/define-metric.js'
import { corpusFold, signature, sliceSums, yesNo, type ReferenceCount } from './corpus-fold.js'
import { clippedMatches, countNgrams, numberNgrams, type Ngrams } from './ngrams.js'

/** sacrebleu's arguments, under its names. */
export const chrfShape = {
  char_order: z.int().min(1).default(6),
  /** The longest word n-grams. 2 is chrF++. */
  word_order: z.int().min(0).default(0),
  /** Recall counts this many times more than precision. */
  beta: z.number().min(0).default(2),
  lowercase: z.boolean().default(false),
  /** True if white space counts as characters. */
  whitespace: z.boolean().default(false),
  /**
   * True to average the F-scores of the orders, like chrF++.py, NLTK and Moses. Otherwise it is the F-score of mean
   * precision and recall.
   */
  eps_smoothing: z.boolean().default(false),
} as const

type ChrfOptions = z.output<z.ZodObject<typeof chrfShape>>

/**
 * The number of n-grams in the answer, in the reference and in both, by order: characters from 1, then words from
 * 1.
 */
export interface ChrfStatistics {
  readonly hyp: readonly number[]
  readonly ref: readonly number[]
  readonly match: readonly number[]
}

/**
 * Statistics for the reference with the best score, the first one if several are equal.
 * @throws Error if there is no reference.
 */
export function chrfStatistics(answer: string, references: readonly string[], options: ChrfOptions): ChrfStatistics {
  const texts = [answer, ...references].map(text => (options.lowercase ? text.toLowerCase() : text))
  const characters = compare(
    texts.map(text => Array.from(options.whitespace ? text : splitWhiteSpace(text).join(''))),
    options.char_order,
  )
  const words = options.word_order === 0 ? undefined : compare(texts.map(chrfWords), options.word_order)
  const candidates = characters.map((statistics, i) => joinStatistics(statistics, words?.[i]))
  const [first, ...more] = candidates
  if (first === undefined) throw new Error('chrF compares with references, and this doc has none')
  let best = { statistics: first, score: chrfScore(first, options) }
  for (const statistics of more) {
    const score = chrfScore(statistics, options)
    if (score > best.score) best = { statistics, score }
  }
  return best.statistics
}

/** Compares the first sequence with each of the others. */
function compare(sequences: readonly (readonly string[])[], longest: number): readonly ChrfStatistics[] {
  const numbered = numberNgrams(sequences, longest)
  const [own = [], ...referenceNgrams] = numbered.sequences
  return referenceNgrams.map(other => ({
    // An order for which the reference is too short is left out.
    hyp: own.map((order, i) => ((other[i]?.length ?? 0) > 0 ? order.length : 0)),
    ref: lengths(other),
    match: clippedMatches(own, countNgrams(other, numbered.size)),
  }))
}

const lengths = (ngrams: Ngrams): number[] => ngrams.map(order => order.length)

const joinStatistics = (a: ChrfStatistics, b: ChrfStatistics | undefined): ChrfStatistics =>
  b === undefined ? a : { hyp: [...a.hyp, ...b.hyp], ref: [...a.ref, ...b.ref], match: [...a.match, ...b.match] }

/** Separates one ASCII punctuation character at the end of a word, or else at its start. */
function chrfWords(text: string): readonly string[] {
  return splitWhiteSpace(text).flatMap(word => {
    if (word.length === 1) return [word]
    if (isPunctuation(word.at(-1))) return [word.slice(0, -1), word.slice(-1)]
    return isPunctuation(word[0]) ? [word.slice(0, 1), word.slice(1)] : [word]
  })
}

const isPunctuation = (character = ''): boolean => /[!-/:-@[-`{-~]/.test(character)

/**
 * chrF of summed statistics, in [0, 100].
 *
 * Source: Popović (2015), (2017), as in sacrebleu 2.6.0, `metrics/chrf.py`.
 */
export function chrfScore({ hyp, ref, match }: ChrfStatistics, { beta, eps_smoothing }: ChrfOptions): number {
  const factor = beta ** 2
  const orders = hyp.map((total, i) => {
    const [wanted, matchCount] = [ref[i] ?? 0, match[i] ?? 0]
    const precision = total > 0 ? matchCount / total : epsilon
    const recall = wanted > 0 ? matchCount / wanted : epsilon
    return { precision, recall, isThere: total > 0 && wanted > 0 }
  })
  if (eps_smoothing) {
    const scores = orders.map(({ precision, recall }) => fScore(precision, recall, factor) ?? epsilon)
    return (100 * sum(scores)) / scores.length
  }
  const there = orders.filter(order => order.isThere)
  const precision = sum(there.map(order => order.precision)) / Math.max(1, there.length)
  const recall = sum(there.map(order => order.recall)) / Math.max(1, there.length)
  return 100 * (fScore(precision, recall, factor) ?? 0)
}

const epsilon = 1e-16

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Undefined if precision and recall are both 0. */
function fScore(precision: number, recall: number, factor: number): number | undefined {
  const denominator = factor * precision + recall
  return denominator > 0 ? ((1 + factor) * precision * recall) / denominator : undefined
}

/** The signature, such as `nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0`. */
export const chrfSignature = (references: ReferenceCount, options: ChrfOptions): string =>
  signature(references, {
    case: options.lowercase ? 'lc' : 'mixed',
    eff: yesNo(!options.eps_smoothing),
    nc: options.char_order,
    nw: options.word_order,
    space: yesNo(options.whitespace),
  })

/**
 * chrF: the F-score of character n-grams of 1 to 6 characters with the best reference; chrF++ with `word_order: 2`.
 * A doc's value is its sufficient statistics and its own `score`; the aggregate is the corpus's, with the
 * signature. In [0, 100], higher is better.
 *
 * Source: Popović (2015), (2017), as sacrebleu 2.6.0 computes it, with its arguments.
 */
export const chrf = defineMetric({
  id: 'chrf',
  args: z.strictObject(chrfShape),
  higherIsBetter: true,
  aggregation: 'chrf',
  judge({ text, references }, options) {
    const statistics = chrfStatistics(text, references, options)
    return scored({ score: chrfScore(statistics, options), ...statistics, nrefs: references.length })
  },
})

const numbers = z.array(z.number())

/**
 * chrF of all docs as one corpus, with sacrebleu's signature. Its name contains β, and a plus for each order of
 * words. It takes values of the metric `chrf`, or `[reference(s), answer]`.
 *
 * Source: sacrebleu 2.6.0, `CHRF.corpus_score`.
 */
export const chrfAggregation = defineAggregation({
  id: 'chrf',
  of: 'folded',
  args: z.object(chrfShape),
  start: options =>
    corpusFold<ChrfStatistics>({
      statistics: z.object({ hyp: numbers, ref: numbers, match: numbers }),
      compare: (answer, references) => chrfStatistics(answer, references, options),
      terms: {
        list: ({ hyp, ref, match }) => [...hyp, ...ref, ...match],
        read(sums) {
          const orders = sums.length / 3
          const [hyp = [], ref = [], match = []] = [0, 1, 2].map(at => sliceSums(sums, at * orders, (at + 1) * orders))
          return { hyp, ref, match }
        },
      },
      score: total => chrfScore(total, options),
      note: references => `chrF${options.beta}${'+'.repeat(options.word_order)}|${chrfSignature(references, options)}`,
    }),
})
