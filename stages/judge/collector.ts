import type { Json } from '../../base/canonical-json.js'
import type { CompiledAggregation } from './compile-aggregation.js'
import type { Fold } from './define-aggregation.js'
import { growingColumn } from './growing-column.js'

/** Takes the values of one metric for one set of docs, and keeps what its aggregation needs of them. */
export interface Collector extends Fold {
  /** Where the value lies whatever `missing` more docs within `range` are worth; nothing where that can't be told. */
  bounds(missing: number, range: readonly [number, number]): readonly [number, number] | undefined
}

export function collectorFor(aggregation: CompiledAggregation): Collector {
  switch (aggregation.of) {
    case 'numbers': {
      const numbers = growingColumn()
      return {
        add(value) {
          if (typeof value !== 'number') throw new TypeError(`it takes numbers, not ${JSON.stringify(value)}`)
          numbers.push(value)
        },
        finish: () => aggregation.summarise(numbers.values()),
        bounds: (missing, range) => aggregation.bounds?.(numbers.values(), missing, range),
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
