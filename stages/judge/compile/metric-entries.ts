import type { JsonObject } from '../../../cache/records.js'
import { defaultMetrics, givesLogprobs, scoringConfig } from './scoring-spec.js'

/** An entry of `metric_list` as written, with its parsed parts. */
export interface ReadMetric {
  readonly metric: string
  readonly name?: string | undefined
  /** The filter pipelines after which it is computed. Absent for all. */
  readonly after?: readonly string[] | undefined
  readonly entry: JsonObject
}

/** Tells whether answers are texts that filters read. */
export const isTextAnswer = (outputType: string): boolean => !givesLogprobs(outputType)

/** Reads the metrics of scoring rules, or those of tasks that name none. The rules must have been checked. */
export function readMetrics(config: JsonObject, outputType: string): readonly ReadMetric[] {
  const entries = scoringConfig.parse(config).metric_list ?? defaultMetrics(outputType)
  return entries.map(({ metric, name, after, ...rest }) => ({
    metric,
    name,
    after,
    entry: { metric, ...rest },
  }))
}
