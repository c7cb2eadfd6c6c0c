/** What the aggregations of gold and predicted classes have in common. */
import { z } from 'zod'
import type { Json } from '../../../../base/canonical-json.js'
import { bare, type Fold, type Summary } from '../../define-aggregation.js'
import { newConfusion, type Confusion } from '../../metrics/classification/confusion.js'

export const label = z.union([z.string(), z.number(), z.boolean()])

/** Which classes count, and how their rates become one. */
export const classShape = {
  average: z.enum(['binary', 'macro', 'micro', 'weighted']).default('binary'),
  /** The class that `binary` is about. */
  pos_label: label.default(1),
  /** The classes there are; those that occur where not said. An answer that is none of them is unparsed. */
  labels: z.array(label).min(1).optional(),
  /** What stands for a rate without anything to divide by; `nan` leaves it out of a mean. */
  zero_division: z
    .union([z.literal(0), z.literal(1), z.nan(), z.enum(['nan', 'NaN'])])
    .default(0)
    .transform(Number),
}

const pair = z.union([
  z.tuple([label, label.nullable()]).rest(z.number().min(0)),
  z
    .object({ gold: label, answer: label.nullable() })
    .transform(({ gold, answer }): [z.output<typeof label>, z.output<typeof label> | null] => [gold, answer]),
])

/** Counts `[target, answer]`, with a weight as a third where there is one. An answer of null could not be read. */
export function classFold(summarise: (confusion: Confusion) => number | Summary): Fold {
  const confusion = newConfusion()
  return {
    add(value: Json) {
      const parsed = pair.safeParse(value)
      if (!parsed.success) throw new Error(`it takes [target, answer], not ${JSON.stringify(value).slice(0, 200)}`)
      const [gold, answer, weight] = parsed.data
      confusion.add(gold, answer, weight)
    },
    finish() {
      const summary = summarise(confusion)
      return typeof summary === 'number' ? finite(summary) : summary
    },
  }
}

/** A number that is not defined is none. */
export const finite = (value: number): Summary => bare(Number.isFinite(value) ? value : null)
