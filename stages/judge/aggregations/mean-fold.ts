import type { Json } from '../../../base/values/canonical-json.js'
import { growingColumn } from '../../../base/collections/growing-column.js'
import { bare, type Fold } from '../define/define-aggregation.js'
import type { Interval } from '../statistics/intervals/interval.js'
import { summariseWith } from './means.js'

/** Starts a fold that is the mean of one number for each doc, with the intervals of a mean. */
export function meanFold(readNumber: (value: Json) => number, range?: Interval): Fold {
  const numbers = growingColumn()
  let total = 0
  return {
    add(value) {
      const number = readNumber(value)
      numbers.push(number)
      total += number
    },
    finish(clusters) {
      const value = total / numbers.length
      return Number.isFinite(value) ? { ...summariseWith(numbers.values(), clusters, range), value } : bare(null)
    },
  }
}
