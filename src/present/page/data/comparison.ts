/** The data of the page that compares two runs. The second run is compared with the first. */
import type { SettingDifference } from '../../../reading/comparing/setting-differences.js'
import type { RunRow } from './runs.js'

export type { SettingDifference }

export interface CompareView {
  readonly a: RunRow
  readonly b: RunRow
  readonly metrics: readonly ComparedMetricView[]
  /** The reasons why some metrics cannot be compared, as sentences. */
  readonly notes: readonly string[]
  /** The differences in requests and judgements of the runs: `prompts differ in 3 of 60 docs`. */
  readonly differences: readonly string[]
  /** The settings that the runs do not share. */
  readonly settings: readonly SettingDifference[]
  /** The first doc with different prompts in the two runs, with both prompts as text. */
  readonly prompt?: PromptPair
}

/** The prompts of one doc in two runs. */
export interface PromptPair {
  readonly taskName: string
  readonly id: string
  readonly a: string
  readonly b: string
}

/** A metric of two compared runs. */
export interface ComparedMetricView {
  readonly task: string
  readonly metric: string
  readonly n: number
  readonly a: number
  readonly b: number
  readonly difference: number
  readonly interval: readonly [number, number] | null
  /** The p value, adjusted for the number of metrics (Holm). */
  readonly p: number | null
  /** True if `p` comes from the score test of 0/1 scores (McNemar's), false if it comes from the paired t test. */
  readonly isScoreTest: boolean
  readonly isClustered: boolean
  readonly higherIsBetter: boolean
  readonly verdict: 'better' | 'worse' | 'equivalent' | 'same' | 'undecided'
  /** If undecided: how many docs more than now would decide. */
  readonly moreDocs?: number
  readonly onlyOne: number
  /** Docs by right or wrong in each run; null where values are not 0 or 1. */
  readonly table: {
    readonly bothRight: number
    readonly onlyA: number
    readonly onlyB: number
    readonly bothWrong: number
  } | null
  /** Numbers of better and worse docs, in all and by the labels of each field. */
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
