import type { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import type { Aggregate } from '../../../cache/records.js'
import type { DocTerms } from '../statistics/resampling/doc-terms.js'
import type { Units } from '../statistics/resampling/units.js'
import type { Parity } from './parity.js'

/** A reported number with its standard error, interval and note. */
export type Summary = Pick<Aggregate, 'value' | 'stderr' | 'interval' | 'intervalMethod' | 'intervalRange' | 'note'> & {
  /** Further numbers by name, if an aggregation in Python returns a table. Each is reported as `METRIC.NAME`. */
  readonly table?: Readonly<Record<string, number>>
}

/**
 * Computes one number from the values of a metric. `numbers`: each value is a number, kept as eight bytes.
 * `values`: each value is any JSON, such as pairs or counts, and all are kept. `folded`: each value is added to
 * sums and not kept. Every function gets at least one value, in the order of the docs.
 */
export type AggregationDefinition<Args extends z.ZodType = z.ZodType> =
  | {
      readonly id: string
      readonly of: 'numbers'
      /** @param range the lowest and highest value of a doc, if the metric declares them */
      summarise(values: Float64Array, parity?: Parity, range?: readonly [number, number]): Summary
      /** The same for docs that depend on each other: `clusters` holds the cluster of each value. */
      summariseClustered?(
        values: Float64Array,
        clusters: Clusters,
        range?: readonly [number, number],
        parity?: Parity,
      ): Summary | undefined
      /** The lowest and highest result if `missing` more docs had values within `range`. */
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
      /**
       * The arguments that it reads from the metric's entry in the task's YAML. The metric's own arguments are
       * there too, so the schema must not be strict.
       */
      readonly args: Args
      /** Starts a fold. The whole task and each label of the breakdown have one each. */
      start(args: z.output<Args>, parity?: Parity): Fold
    }

/** The cluster of each value. Docs in one cluster depend on each other. */
export type Clusters = ArrayLike<string | undefined>

/** Running sums for one set of docs. */
export interface Fold {
  /** @throws Error if the value is of the wrong kind. */
  add(value: Json): void
  /**
   * Computes the number. If docs have clusters and its formula does not know them, the standard error and the interval
   * are null.
   *
   * @param clusters the cluster of each value, if every value has one
   */
  finish(clusters?: Clusters): Summary
  /** Returns what the bootstrap draws again for the interval. Called after a `finish` that returned no interval. */
  resample?(clusters?: Clusters): Resampling
}

/** A number that is computed again for resampled docs, for its bootstrap interval. */
export type Resampling = ResampledSums | ResampledDocs

/** A number as a function of sums over docs. */
export interface ResampledSums extends ResamplingFacts {
  /** The numbers of each doc. They take eight bytes each until the end. */
  readonly terms: DocTerms
  /** Computes the number from the sums. The array is overwritten by the next sums. NaN if there is none. */
  readonly combine: (sums: Float64Array) => number
}

/** A number that depends on each doc, such as one that ranks docs. */
export interface ResampledDocs extends ResamplingFacts {
  /** The number of docs. */
  readonly docs: number
  /**
   * Prepares the number as a function of how often each unit is in a resample. A unit is a doc, a cluster or a block of
   * docs. The counts are overwritten by the next ones.
   */
  readonly prepareCounts: (units: Units) => (counts: Float64Array) => number
}

interface ResamplingFacts {
  /** The clusters of the docs, if they differ from the task's. */
  readonly clusters?: Clusters
  /** About how many additions one computation takes beside the sums. @default 0 */
  readonly cost?: number
  /** Whether the docs' numbers depend on the other docs, and stay fixed in resamples. @default false */
  readonly isFixed?: boolean
  /** The reason why resamples give no interval of the number. @default they do */
  readonly unfit?: string
}

/** Declares an aggregation. Each file defines one; its docstring gives definition and source. */
export const defineAggregation = <Args extends z.ZodType>(
  definition: AggregationDefinition<Args>,
): AggregationDefinition<Args> => definition

/** A value without standard error and interval. */
export const bare = (value: number | null): Summary => ({ value, stderr: null, interval: null, intervalMethod: 'none' })

/** The beginning of the note for a number without an interval. */
export const withoutInterval = 'without an interval'

/** Describes why a number of docs in clusters has no interval. */
export const describeTooFewClusters = (clusters: number): string =>
  `${withoutInterval}: the docs come in ${clusters === 1 ? 'one cluster' : `${clusters} clusters`}, and it takes at least 5 of about one size`
