import { normalCdf } from '../../../stages/judge/statistics/distributions/normal.js'
import { zInterval } from '../../../stages/judge/statistics/intervals/mean.js'
import type { ComparedMetric } from './compare-metrics.js'

/** The difference of one score from the baseline's. */
export interface BaselineDifference {
  readonly task: string
  /** `metric` or `metric,filter`. */
  readonly metric: string
  /** The score of the baseline; of a paired comparison, over the docs that both have. */
  readonly baseline: number
  readonly difference: number
  /** The 95 % interval. */
  readonly interval?: readonly [number, number]
  /** The p value of the verdict, adjusted if docs of several metrics were compared. */
  readonly p?: number
  readonly verdict?: ComparedMetric['verdict']
  /** True if docs were compared one by one. Otherwise only two scores with their standard errors were. */
  readonly isPaired: boolean
}

interface Score {
  readonly value: number
  readonly stderr?: number | null
}

/**
 * Computes the difference of two scores from their means and standard errors, as if the docs were independent. If the docs are the same, this is
 * conservative: a paired comparison would have a narrower interval. Without a standard error, or with one of 0, there is no interval and no verdict.
 */
export function unpairedDifference(
  score: Score,
  baseline: Score,
  higherIsBetter: boolean,
): Omit<BaselineDifference, 'task' | 'metric'> {
  const difference = score.value - baseline.value
  const about = { baseline: baseline.value, difference, isPaired: false }
  if (typeof score.stderr !== 'number' || typeof baseline.stderr !== 'number') return about
  // Equal values of all docs say nothing about the spread of others, so a standard error of 0 is not that of an exact score.
  if (score.stderr === 0 || baseline.stderr === 0) return about
  const stderr = Math.hypot(score.stderr, baseline.stderr)
  const p = 2 * normalCdf(-Math.abs(difference) / stderr)
  const isBetter = higherIsBetter ? difference > 0 : difference < 0
  return {
    ...about,
    interval: zInterval({ mean: difference, stderr }),
    p,
    verdict: p >= 0.05 ? 'undecided' : isBetter ? 'better' : 'worse',
  }
}
