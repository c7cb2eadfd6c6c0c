import type { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import type { Aggregate } from '../../../cache/records.js'
import type { Parity } from './parity.js'

/** A number of the report with what is known of its uncertainty. */
export type Summary = Pick<Aggregate, 'value' | 'stderr' | 'interval' | 'intervalMethod' | 'note'>

/**
 * How the values of a metric's docs become one number. `numbers`: each value is one, kept as eight bytes. `values`: each
 * is whatever the metric says (pairs, counts), all kept until the end. `folded`: each value goes into sums as it comes and
 * is forgotten. All are asked only with at least one value, in the order of the docs.
 */
export type AggregationDefinition<Args extends z.ZodType = z.ZodType> =
  | {
      readonly id: string
      readonly of: 'numbers'
      /** @param range the lowest and highest value of a doc, where the metric has them */
      summarise(values: Float64Array, parity?: Parity, range?: readonly [number, number]): Summary
      /** The same where docs are not independent of each other: `clusters` says of each value which one it belongs to. */
      summariseClustered?(
        values: Float64Array,
        clusters: ArrayLike<string | undefined>,
        range?: readonly [number, number],
      ): Summary | undefined
      /** Where the value lies whatever `missing` more docs within `range` are worth. */
      bounds?(values: Float64Array, missing: number, range: readonly [number, number]): readonly [number, number]
    }
  | {
      readonly id: string
      readonly of: 'values'
      summarise(values: readonly Json[], parity?: Parity): Summary
    }
  | {
      readonly id: string
      readonly of: 'folded'
      /** What it reads of the metric's entry in the task's YAML. Other keys there are the metric's: not a strict object. */
      readonly args: Args
      /** Of the whole task, and of each label of the breakdown: a fold of its own. */
      start(args: z.output<Args>, parity?: Parity): Fold
    }

/** Sums of one set of docs; as large after the last value as after the first. */
export interface Fold {
  /** @throws Error where the value is not of the kind that it takes. */
  add(value: Json): void
  finish(): Summary
}

/** Declares an aggregation: one file, one export. Its docstring gives definition and source. */
export const defineAggregation = <Args extends z.ZodType>(
  definition: AggregationDefinition<Args>,
): AggregationDefinition<Args> => definition

/** A value of which nothing more is known. */
export const bare = (value: number | null): Summary => ({ value, stderr: null, interval: null, intervalMethod: 'none' })

/** How the note of a number begins that has no interval, which says why. */
export const withoutInterval = 'without an interval'
