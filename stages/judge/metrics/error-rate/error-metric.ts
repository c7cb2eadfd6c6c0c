import { z } from 'zod'
import { defineMetric, scored, type MetricDefinition } from '../../define-metric.js'
import { zhconvTable } from '../../text/chinese/zhconv.js'
import { normalise, normalizerNames } from '../../text/normalizers.js'
import { countErrors, type ErrorCounts } from './error-counts.js'
import { scaleShape } from './error-fold.js'
import { measures } from './measures.js'
import { charactersOf, wordsOf } from './transcripts.js'

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

export interface ErrorMetric {
  readonly id: string
  readonly measure: keyof typeof measures
  readonly higherIsBetter: boolean
}

/** A metric of words; its docs' values are counts and the doc's own `rate`, its aggregation that of the measure. */
export const wordErrorMetric = (metric: ErrorMetric): MetricDefinition<typeof wordArgs> =>
  defineMetric({
    ...definition(metric),
    args: wordArgs,
    judge: ({ text, references }, { normalizer }) =>
      scored({ ...closest({ text, references, ...metric }, each => wordsOf(normalise(each, normalizer))) }),
  })

/** The same of characters. */
export const characterErrorMetric = (metric: ErrorMetric): MetricDefinition<typeof characterArgs> =>
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
