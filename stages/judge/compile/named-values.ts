/** Handles named values of a Python metric, such as `pass@1` and `pass@10`. Each is a separate metric. */
import { isObject, type Json } from '../../../base/values/canonical-json.js'
import { without } from '../../../base/values/without.js'
import type { Verdict } from '../define/define-metric.js'
import type { CompiledMetric } from './compile-scoring.js'

/** Splits a verdict into one verdict for each named value. A verdict with a single value keeps the metric's name. */
export function nameVerdicts(
  verdict: Verdict,
  metric: CompiledMetric,
): readonly { readonly metric: CompiledMetric; readonly verdict: Verdict }[] {
  if (metric.namedAggregation === undefined || verdict.type === 'judge_failed' || !isObject(verdict.value))
    return [{ metric, verdict }]
  const values = Object.entries(verdict.value as Readonly<Record<string, Json>>)
  if (values.length === 0) throw new Error('it returns no value')
  return values.map(([name, value]) => ({ metric: nameMetric(metric, name), verdict: { ...verdict, value } }))
}

/** Makes the metric of a named value. As in lm-evaluation-harness, it is aggregated as a mean. */
export const nameMetric = (metric: CompiledMetric, name: string): CompiledMetric =>
  metric.namedAggregation === undefined || name === metric.name
    ? metric
    : { ...without(metric, 'namedAggregation'), name, aggregation: metric.namedAggregation, isMean: true }
