import { z } from 'zod'
import { defineMetric, scored, type MetricDefinition } from '../../define/define-metric.js'
import { zhconvTable } from '../../text/chinese/zhconv.js'
import { normalise, normalizerNames } from '../../text/normalizers.js'
import { splitCharacters, countErrors, measures, splitWords, type ErrorCounts } from './error-counts.js'
import { scaleShape } from './wer-aggregations.js'

const normalizer = z.union([z.enum(normalizerNames), zhconvTable])

/** Normalisers that are applied to reference and answer before the comparison: one name, or a list in order. */
export const normalizerArgument = z
  .union([normalizer, z.array(normalizer)])
  .default('none')
  .transform(value => (Array.isArray(value) ? value : [value]))

const wordArgs = z.strictObject({ normalizer: normalizerArgument, ...scaleShape })

const characterArgs = wordArgs.extend({
  /** True to ignore white space, for languages written without it. */
  ignore_spaces: z.boolean().default(false),
})

interface ErrorMetric {
  readonly id: string
  readonly measure: keyof typeof measures
  readonly higherIsBetter: boolean
}

/** Makes a metric of words. A doc's value has its counts and its `rate`. The measure decides the aggregation. */
const wordErrorMetric = (metric: ErrorMetric): MetricDefinition<typeof wordArgs> =>
  defineMetric({
    ...definition(metric),
    args: wordArgs,
    judge: ({ text, references }, { normalizer }) =>
      scored({ ...closest({ text, references, ...metric }, each => splitWords(normalise(each, normalizer))) }),
  })

/** The same for characters. */
const characterErrorMetric = (metric: ErrorMetric): MetricDefinition<typeof characterArgs> =>
  defineMetric({
    ...definition(metric),
    args: characterArgs,
    judge({ text, references }, { normalizer, ignore_spaces: ignoreSpaces }) {
      const items = (each: string): readonly string[] => {
        const characters = splitCharacters(normalise(each, normalizer))
        return ignoreSpaces ? characters.filter(character => !/\s/u.test(character)) : characters
      }
      return scored({ ...closest({ text, references, ...metric }, items) })
    },
  })

const definition = ({ id, measure, higherIsBetter }: ErrorMetric) => ({ id, higherIsBetter, aggregation: measure })

interface Comparison extends ErrorMetric {
  readonly text: string
  readonly references: readonly string[]
}

/** The counts for the reference that is best for the answer, the first one if several are equal. */
function closest(
  { text, references, measure, higherIsBetter }: Comparison,
  itemsOf: (text: string) => readonly string[],
): ErrorCounts & { readonly rate: number } {
  const heard = itemsOf(text)
  const rated = references.map(reference => {
    const counts = countErrors(itemsOf(reference), heard)
    return { rate: measures[measure](counts), ...counts }
  })
  const [first, ...otherRates] = rated
  if (first === undefined) throw new Error('there is no reference to compare the answer with')
  return otherRates.reduce(
    (best, each) => ((higherIsBetter ? each.rate > best.rate : each.rate < best.rate) ? each : best),
    first,
  )
}

/**
 * Word error rate: substituted, deleted and inserted words per word of the reference, over all docs together. In
 * [0, ∞), lower is better. A doc's value is its counts and its own `rate`. The closest of several references
 * counts.
 *
 * `normalizer` is applied to both sides first: one normaliser, or a list in order. Without it, words are separated
 * by spaces only, and case and punctuation count. `percent` multiplies the aggregate by 100.
 *
 * Source: jiwer 4.0.0, `process_words`.
 */
export const wer = wordErrorMetric({ id: 'wer', measure: 'wer', higherIsBetter: false })

/**
 * Character error rate: substituted, deleted and inserted code points per code point of the reference, over all
 * docs together. Spaces between words count unless `ignore_spaces` is set. In [0, ∞), lower is better. `normalizer`
 * and docs' values are as in `wer`.
 *
 * Source: jiwer 4.0.0, `process_characters`.
 */
export const cer = characterErrorMetric({ id: 'cer', measure: 'wer', higherIsBetter: false })

/**
 * Match error rate: the share of substituted, deleted and inserted words among all aligned words, over all docs
 * together. In [0, 1], lower is better. Arguments and docs' values are as in `wer`.
 *
 * Source: Morris, Maier and Green, "From WER and RIL to MER and WIL", Interspeech 2004; jiwer 4.0.0,
 * `process_words`.
 */
export const mer = wordErrorMetric({ id: 'mer', measure: 'mer', higherIsBetter: false })

/**
 * Word information lost: 1 − `wip`, over all docs together. In [0, 1], lower is better. Arguments and docs' values
 * are as in `wer`.
 *
 * Source: Morris, Maier and Green, "From WER and RIL to MER and WIL", Interspeech 2004; jiwer 4.0.0,
 * `process_words`.
 */
export const wil = wordErrorMetric({ id: 'wil', measure: 'wil', higherIsBetter: false })

/**
 * Word information preserved: the share of hits among the reference's words times that among the answer's words,
 * over all docs together. In [0, 1], higher is better. Arguments and docs' values are as in `wer`.
 *
 * Source: Morris, Maier and Green, "From WER and RIL to MER and WIL", Interspeech 2004; jiwer 4.0.0,
 * `process_words`.
 */
export const wip = wordErrorMetric({ id: 'wip', measure: 'wip', higherIsBetter: true })
