import { z } from 'zod'
import { defineMetric, scored, type MetricDefinition } from '../../define/define-metric.js'
import { zhconvTable } from '../../text/chinese/zhconv.js'
import { normalise, normalizerNames } from '../../text/normalizers.js'
import { charactersOf, countErrors, measures, wordsOf, type ErrorCounts } from './error-counts.js'
import { scaleShape } from './wer-aggregations.js'

const normalizer = z.union([z.enum(normalizerNames), zhconvTable])

/** What reference and answer are changed by before they are compared: one normaliser, or several in their order. */
export const normalizerArgument = z
  .union([normalizer, z.array(normalizer)])
  .default('none')
  .transform(given => (Array.isArray(given) ? given : [given]))

const wordArgs = z.strictObject({ normalizer: normalizerArgument, ...scaleShape })

const characterArgs = wordArgs.extend({
  /** White space is no character: for languages that are written without it. */
  ignore_spaces: z.boolean().default(false),
})

interface ErrorMetric {
  readonly id: string
  readonly measure: keyof typeof measures
  readonly higherIsBetter: boolean
}

/** A metric of words; its docs' values are counts and the doc's own `rate`, its aggregation that of the measure. */
const wordErrorMetric = (metric: ErrorMetric): MetricDefinition<typeof wordArgs> =>
  defineMetric({
    ...definition(metric),
    args: wordArgs,
    judge: ({ text, references }, { normalizer }) =>
      scored({ ...closest({ text, references, ...metric }, each => wordsOf(normalise(each, normalizer))) }),
  })

/** The same of characters. */
const characterErrorMetric = (metric: ErrorMetric): MetricDefinition<typeof characterArgs> =>
  defineMetric({
    ...definition(metric),
    args: characterArgs,
    judge({ text, references }, { normalizer, ignore_spaces: ignoreSpaces }) {
      const items = (each: string): readonly string[] => {
        const characters = charactersOf(normalise(each, normalizer))
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

/** Of several references the one that speaks best for the answer, the first of equals. */
function closest(
  { text, references, measure, higherIsBetter }: Comparison,
  itemsOf: (text: string) => readonly string[],
): ErrorCounts & { readonly rate: number } {
  const heard = itemsOf(text)
  const rated = references.map(reference => {
    const counts = countErrors(itemsOf(reference), heard)
    return { rate: measures[measure](counts), ...counts }
  })
  const [first, ...others] = rated
  if (first === undefined) throw new Error('there is no reference to compare the answer with')
  return others.reduce(
    (best, each) => ((higherIsBetter ? each.rate > best.rate : each.rate < best.rate) ? each : best),
    first,
  )
}

/**
 * Word error rate: substituted, deleted and inserted words for each word of the reference, over all docs together. In [0, ∞),
 * lower is better. A doc's value is its counts and its own `rate`; of several references the closest counts.
 *
 * `normalizer` changes both sides first: one of the normalisers, or a list of them in their order. Without one, words are what spaces set
 * apart, capitals and punctuation included. `percent` gives the aggregate times 100.
 *
 * Source: jiwer 4.0.0, `process_words`.
 */
export const wer = wordErrorMetric({ id: 'wer', measure: 'wer', higherIsBetter: false })

/**
 * Character error rate: substituted, deleted and inserted characters (code points) for each one of the reference, over all docs
 * together; spaces within are characters unless `ignore_spaces` is on. In [0, ∞), lower is better. `normalizer` and docs' values as of
 * `wer`.
 *
 * Source: jiwer 4.0.0, `process_characters`.
 */
export const cer = characterErrorMetric({ id: 'cer', measure: 'wer', higherIsBetter: false })

/**
 * Match error rate: the share of substituted, deleted and inserted words among all aligned ones, over all docs together. In
 * [0, 1], lower is better. Arguments and docs' values as of `wer`.
 *
 * Source: Morris, Maier and Green, "From WER and RIL to MER and WIL", Interspeech 2004; jiwer 4.0.0, `process_words`.
 */
export const mer = wordErrorMetric({ id: 'mer', measure: 'mer', higherIsBetter: false })

/**
 * Word information lost: 1 − `wip`, over all docs together. In [0, 1], lower is better. Arguments and docs' values as of `wer`.
 *
 * Source: Morris, Maier and Green, "From WER and RIL to MER and WIL", Interspeech 2004; jiwer 4.0.0, `process_words`.
 */
export const wil = wordErrorMetric({ id: 'wil', measure: 'wil', higherIsBetter: false })

/**
 * Word information preserved: the share of words that were heard right among those of the reference times the share among those of the
 * answer, over all docs together. In [0, 1], higher is better. Arguments and docs' values as of `wer`.
 *
 * Source: Morris, Maier and Green, "From WER and RIL to MER and WIL", Interspeech 2004; jiwer 4.0.0, `process_words`.
 */
export const wip = wordErrorMetric({ id: 'wip', measure: 'wip', higherIsBetter: true })
