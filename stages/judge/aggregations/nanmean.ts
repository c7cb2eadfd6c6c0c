import type { Json } from '../../../base/canonical-json.js'
import { defineAggregation } from '../define-aggregation.js'
import { summariseMean } from './mean.js'

/**
 * The mean of the docs that have a number: `null` and `"NaN"`, by which a task says that a doc has none, are left out. There is no value
 * where no doc has a number.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, nanmean.
 */
export const nanmean = defineAggregation({
  id: 'nanmean',
  of: 'values',
  summarise: values => summariseMean(Float64Array.from(values.flatMap(numberIn))),
})

function numberIn(value: Json): readonly number[] {
  if (value === null || value === 'NaN') return []
  if (typeof value !== 'number') throw new TypeError(`it takes numbers, not ${JSON.stringify(value)}`)
  return [value]
}
