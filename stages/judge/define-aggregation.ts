import type { Json } from '../../base/canonical-json.js'
import type { Aggregate } from '../../cache/records.js'

/** A number of the report with what is known of its uncertainty. */
export type Summary = Pick<Aggregate, 'value' | 'stderr' | 'interval' | 'intervalMethod'>

/**
 * How the values of a metric's docs become one number. `numbers`: each value is one, kept as eight bytes. `values`: each
 * is whatever the metric says (pairs, counts). Both are asked only with at least one value, in the order of the docs.
 */
export type AggregationDefinition =
  | {
      readonly id: string
      readonly of: 'numbers'
      summarise(values: Float64Array): Summary
      /** Where the value lies whatever `missing` more docs within `range` are worth. */
      bounds?(values: Float64Array, missing: number, range: readonly [number, number]): readonly [number, number]
    }
  | {
      readonly id: string
      readonly of: 'values'
      summarise(values: readonly Json[]): Summary
    }

/** Declares an aggregation: one file, one export. Its docstring gives definition and source. */
export const defineAggregation = (definition: AggregationDefinition): AggregationDefinition => definition

/** A value of which nothing more is known. */
export const bare = (value: number | null): Summary => ({ value, stderr: null, interval: null, intervalMethod: 'none' })
