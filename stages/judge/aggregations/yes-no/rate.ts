import { z } from 'zod'
import type { Json } from '../../../../base/canonical-json.js'
import { bare, defineAggregation } from '../../define-aggregation.js'
import { countYesNo, noYesNoCounts, yesNoRates, type YesNoRates } from '../../helpers/yes-no.js'

/** Rates of "yes" over docs whose values are `{gold, answer}`. For what they are see {@link yesNoRates}. */
export const yesNoRate = (id: string, name: keyof YesNoRates) =>
  defineAggregation({
    id,
    of: 'folded',
    args: z.object({}),
    start(_args, parity) {
      let counts = noYesNoCounts
      return {
        add: (value: Json) => void (counts = countYesNo(counts, pair.parse(value))),
        finish: () => bare(yesNoRates(counts, parity)[name]),
      }
    },
  })

const word = z.enum(['yes', 'no'])
const pair = z.object({ gold: word, answer: word.nullable() })
