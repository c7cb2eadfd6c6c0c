import type { Json } from '../../base/canonical-json.js'
import type { CompiledAggregation } from './compile-aggregation.js'
import type { Fold } from './define-aggregation.js'
import { growingColumn } from '../../base/growing-column.js'

/** Takes the values of one metric for one set of docs, and keeps what its aggregation needs of them. */
export interface Collector extends Omit<Fold, 'add'> {
  /** @param cluster what the doc has in common with others, where that is said */
  add(value: Json, cluster?: string): void
  /** Where the value lies whatever `missing` more docs within `range` are worth; nothing where that can't be told. */
  bounds(missing: number, range: readonly [number, number]): readonly [number, number] | undefined
}

/** @param range of a doc's value, where the metric has one */
export function collectorFor(aggregation: CompiledAggregation, range?: readonly [number, number]): Collector {
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
        finish() {
          const values = numbers.values()
          const clustered =
            clusters.length === 0 ? undefined : aggregation.summariseClustered?.(values, clusters, range)
          return clustered ?? aggregation.summarise(values, undefined, range)
        },
        bounds: (missing, ends) => aggregation.bounds?.(numbers.values(), missing, ends),
      }
    }
    case 'values': {
      const values: Json[] = []
      return { add: value => void values.push(value), finish: () => aggregation.summarise(values), bounds: unknown }
    }
    case 'folded': {
      const fold = aggregation.start()
      return { add: value => fold.add(value), finish: () => fold.finish(), bounds: unknown }
    }
  }
}

const unknown = (): undefined => undefined
