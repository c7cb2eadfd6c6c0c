/** What the page that compares two runs shows. The second run is compared with the first. */
import type { RunRow } from './runs.js'

export interface CompareView {
  readonly a: RunRow
  readonly b: RunRow
  readonly metrics: readonly ComparedMetricView[]
  /** Why some metrics cannot be compared, as sentences. */
  readonly notes: readonly string[]
}

export interface ComparedMetricView {
  readonly task: string
  readonly metric: string
  readonly n: number
  readonly a: number
  readonly b: number
  readonly difference: number
  readonly interval: readonly [number, number] | null
  readonly p: number | null
  /** Whether `p` is that of McNemar's exact test; else it is of the paired t test. */
  readonly isExact: boolean
  readonly isClustered: boolean
  readonly higherIsBetter: boolean
  readonly verdict: 'better' | 'worse' | 'same' | 'undecided'
  readonly docsToDecide?: number
  readonly onlyOne: number
  /** Docs by right or wrong in each run; null where values are not 0 or 1. */
  readonly table: {
    readonly bothRight: number
    readonly onlyA: number
    readonly onlyB: number
    readonly bothWrong: number
  } | null
  /** How many docs are better and worse, whole and by the labels of each field. */
  readonly improved: number
  readonly worsened: number
  readonly flips: readonly {
    readonly field: string
    readonly label: string
    readonly n: number
    readonly improved: number
    readonly worsened: number
  }[]
}
