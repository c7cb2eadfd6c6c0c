import { z } from 'zod'
import { defineAggregation } from '../../define/define-aggregation.js'
import { defineMetric, scored } from '../../define/define-metric.js'
import { tercomWords } from '../../text/translation-tokenizers.js'
import { corpusFold, signature, yesNo, type ReferenceCount } from './corpus-fold.js'
import { translationEdits } from './translation-edits.js'

/** sacrebleu's arguments, under its names. */
export const terShape = {
  normalized: z.boolean().default(false),
  no_punct: z.boolean().default(false),
  asian_support: z.boolean().default(false),
  case_sensitive: z.boolean().default(false),
} as const

type TerOptions = z.output<z.ZodObject<typeof terShape>>

export interface TerStatistics {
  /** The number of edits to the closest reference. */
  readonly num_edits: number
  /** The mean number of words of the references. */
  readonly ref_length: number
}

/** Computes the statistics of a segment. @throws Error if there is no reference. */
export function terStatistics(answer: string, references: readonly string[], options: TerOptions): TerStatistics {
  if (references.length === 0) throw new Error('TER compares with references, and this doc has none')
  const words = tercomWords(answer, options)
  // sacrebleu tokenizes references twice. The second pass changes texts such as `&amp;lt;`.
  const referenceWords = references.map(reference => tercomWords(tercomWords(reference, options).join(' '), options))
  return {
    num_edits: Math.min(...referenceWords.map(other => translationEdits(words, other))),
    ref_length: referenceWords.reduce((total, other) => total + other.length, 0) / referenceWords.length,
  }
}

/**
 * Edits in per cent of the reference's words, from summed statistics. If the references have no words, it is 0 for
 * answers without words, else 100.
 *
 * Source: Snover et al. (2006), as in sacrebleu 2.6.0, `metrics/ter.py`.
 */
export function terScore({ num_edits, ref_length }: TerStatistics): number {
  if (ref_length > 0) return 100 * (num_edits / ref_length)
  return num_edits > 0 ? 100 : 0
}

/** The signature, such as `nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0`. */
export const terSignature = (references: ReferenceCount, options: TerOptions): string =>
  signature(references, {
    case: options.case_sensitive ? 'mixed' : 'lc',
    tok: 'tercom',
    norm: yesNo(options.normalized),
    punct: yesNo(!options.no_punct),
    asian: yesNo(options.asian_support),
  })

/**
 * Translation edit rate: insertions, deletions, substitutions and phrase shifts to the closest reference, in per
 * cent of the reference's words. A doc's value is its sufficient statistics and its own `score`; the aggregate is
 * the corpus's, with the signature. In [0, ∞), lower is better.
 *
 * Source: Snover et al. (2006), as sacrebleu 2.6.0 computes it, with its arguments.
 */
export const ter = defineMetric({
  id: 'ter',
  args: z.strictObject(terShape),
  higherIsBetter: false,
  aggregation: 'ter',
  judge({ text, references }, options) {
    const statistics = terStatistics(text, references, options)
    return scored({ score: terScore(statistics), ...statistics, nrefs: references.length })
  },
})

/**
 * TER of all docs as one corpus, with sacrebleu's signature. It takes values of the metric `ter`, or
 * `[reference(s), answer]`.
 *
 * Source: sacrebleu 2.6.0, `TER.corpus_score`.
 */
export const terAggregation = defineAggregation({
  id: 'ter',
  of: 'folded',
  args: z.object(terShape),
  start: options =>
    corpusFold<TerStatistics>({
      statistics: z.object({ num_edits: z.number(), ref_length: z.number() }),
      compare: (answer, references) => terStatistics(answer, references, options),
      terms: {
        list: ({ num_edits, ref_length }) => [num_edits, ref_length],
        read: ({ 0: num_edits = 0, 1: ref_length = 0 }) => ({ num_edits, ref_length }),
      },
      score: terScore,
      note: references => `TER|${terSignature(references, options)}`,
    }),
})
