/** What the aggregations of forecasts have in common. */
import { z } from 'zod'
import type { Json } from '../../../../base/canonical-json.js'
import type { Fold } from '../../define-aggregation.js'
import { finite } from '../classes/class-fold.js'

const forecast = z.tuple([z.int().min(0), z.array(z.number()).min(1)])

/**
 * The mean loss of forecasts, each `[index of the class, probabilities of all classes]`. A number is a doc's loss that is known already.
 */
export function meanLoss(lossOf: (probabilities: readonly number[], gold: number) => number): Fold {
  let n = 0
  let total = 0
  return {
    add(value: Json) {
      n += 1
      total += typeof value === 'number' ? value : lossOf(...readForecast(value))
    },
    finish: () => finite(total / n),
  }
}

function readForecast(value: Json): readonly [probabilities: readonly number[], gold: number] {
  const parsed = forecast.safeParse(value)
  if (!parsed.success || parsed.data[0] >= parsed.data[1].length) {
    throw new Error(`it takes [index of the class, probabilities], not ${JSON.stringify(value).slice(0, 200)}`)
  }
  return [parsed.data[1], parsed.data[0]]
}
