/** What MME's metrics have in common: the doc's value says which picture it is of. */
import { ownValue } from '../../../../base/named-values.js'
import { z } from 'zod'
import { scored, unparsed, type MetricInput, type Verdict } from '../../define-metric.js'
import { neither, readYesNo, yesNoArgs } from './yes-no.js'

export const mmeArgs = yesNoArgs.extend({
  /** MME's own script reads `prefix`. */
  read: z.enum(['words', 'exact', 'prefix']).default('prefix'),
  /** The doc's field with the category. */
  category: z.string().default('category'),
  /** The doc's field that the two questions of a picture share. */
  picture: z.string().default('question_id'),
})

export function judgeMme(input: MetricInput, args: z.output<typeof mmeArgs>): Verdict {
  const { gold, answer } = readYesNo(input, args.read)
  const place = { category: textField(input, args.category), picture: textField(input, args.picture) }
  if (answer === undefined) return unparsed(neither, { ...place, score: 0 })
  return scored({ ...place, score: answer === gold ? 1 : 0 })
}

function textField({ record }: MetricInput, name: string): string {
  const value = ownValue(record.doc, name)
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new Error(`the doc has no field "${name}" with a text or a number, by which MME's pairs are told apart`)
}
