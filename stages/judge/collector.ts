import { growingColumn } from '../../base/collections/growing-column.js'
import type { Json } from '../../base/values/canonical-json.js'
import type { CompiledAggregation } from './compile/compile-context.js'
import { addBootstrap } from './aggregations/bootstrap-summary.js'
import { withoutInterval, type Summary } from './define/define-aggregation.js'

/** Collects the values of one metric for one set of docs, as its aggregation needs them. */
export interface Collector {
  /** @param cluster the doc's value of `cluster_key`, if the task has one */
  add(value: Json, cluster?: string): void
  /** @param shared the clusters of docs that share answers. The task's own clusters go before them. */
  finish(shared?: readonly string[]): Summary
  /** The lowest and highest result if `missing` more docs had values within `range`; undefined if it is unknown. */
  bounds(missing: number, range: readonly [number, number]): readonly [number, number] | undefined
  /** Computes what `finish` will return, in another process. */
  settle?(files: string | undefined): Promise<void>
}

interface CollectorOptions {
  /** The lowest and highest value of a doc, if the metric declares them. */
  readonly range?: readonly [number, number] | undefined
  /** The text from which the draws of a bootstrap follow. */
  readonly seed: string
}

/** Starts a collector for an aggregation. */
export function collectorFor(aggregation: CompiledAggregation, { range, seed }: CollectorOptions): Collector {
  switch (aggregation.of) {
    case 'numbers': {
      const numbers = growingColumn()
      const clusters: (string | undefined)[] = []
      let count = 0
      return {
        add(value, cluster) {
          if (typeof value !== 'number') throw new TypeError(`it takes numbers, not ${JSON.stringify(value)}`)
          numbers.push(value)
          if (cluster !== undefined) clusters[count] = cluster
          count += 1
        },
        finish(shared) {
          const values = numbers.values()
          const summariseClusters = (by: ArrayLike<string | undefined> | undefined): Summary | undefined =>
            by && aggregation.summariseClustered?.(values, by, range)
          return (
            summariseClusters(clusters.length === 0 ? undefined : clusters) ??
            summariseClusters(shared) ??
            aggregation.summarise(values, undefined, range)
          )
        },
        bounds: (missing, ends) => aggregation.bounds?.(numbers.values(), missing, ends),
      }
    }
    case 'values': {
      const values: Json[] = []
      return { add: value => void values.push(value), finish: () => aggregation.summarise(values), bounds: omitBounds }
    }
    case 'later': {
      const values: Json[] = []
      let settled: (() => Summary) | undefined
      return {
        add: value => void values.push(value),
        async settle(files) {
          if (values.length === 0) return
          settled = await aggregation.summarise(values, files).then(
            summary => () => summary,
            (error: unknown) => () => {
              throw error
            },
          )
        },
        finish() {
          if (settled === undefined) throw new Error('internal error: it was not computed')
          return settled()
        },
        bounds: omitBounds,
      }
    }
    case 'folded': {
      const fold = aggregation.start()
      const own: (string | undefined)[] = []
      let count = 0
      return {
        add(value, cluster) {
          fold.add(value)
          if (cluster !== undefined) own[count] = cluster
          count += 1
        },
        finish(shared) {
          // A list with a hole is not `every`, which skips holes.
          const isWhole = count > 0 && own.length === count && !own.includes(undefined)
          const clusters = isWhole ? own : shared
          const summary = fold.finish(clusters)
          const hasReason = summary.note?.startsWith(withoutInterval) === true
          if (fold.resample === undefined || summary.value === null || summary.interval !== null || hasReason)
            return summary
          const resampling = fold.resample(clusters)
          return addBootstrap(summary, resampling, { clusters: resampling.clusters ?? clusters, seed })
        },
        bounds: omitBounds,
      }
    }
  }
}

const omitBounds = (): undefined => undefined
