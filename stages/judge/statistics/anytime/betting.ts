/** Tests and confidence sequences of a mean in [0, 1] by betting against each candidate mean. */
import { PipelineError } from '../../../../base/errors/errors.js'
import type { Interval } from '../intervals/interval.js'
import { checkBounded, computeBets, type BetAim } from './bets.js'

/** The settings of a betting test. */
export interface BettingSettings {
  /** The bets aim at this rate of errors. @default 0.05 */
  readonly alpha?: number | undefined
  /** The share of the capital that bets on a higher mean. @default 0.5 */
  readonly share?: number | undefined
  /** The point at which the interval shall be narrow. @default at all numbers of values alike */
  readonly aim?: BetAim | undefined
  /** A bet risks at most this part of its capital. @default 0.5 */
  readonly risk?: number | undefined
}

/** A betting test of one candidate mean. */
export interface BettingTest {
  /** The capital after each value: the larger of both sides, which started with `share` and 1 − `share`. */
  readonly capital: readonly number[]
  /** The sum of both sides after each value, which started with 1. It is a test martingale too. */
  readonly capitalSum: readonly number[]
  /** A p value that is valid however often it was looked at: 1 over the largest capital, at most 1. */
  readonly p: number
}

/**
 * Bets against the hypothesis that the mean of the values is `mean`. A capital of 1/α or more rejects it at level α, at
 * any moment.
 *
 * Source: Waudby-Smith & Ramdas, JRSS B (2024), section 4, the hedged capital process; confseq 0.0.11, `betting_mart`.
 *
 * @throws PipelineError for a value outside [0, 1] or a mean outside (0, 1)
 */
export function testMeanByBetting(
  values: readonly number[],
  mean: number,
  settings: BettingSettings = {},
): BettingTest {
  const { alpha, share, risk } = readSettings(values, settings)
  if (!(mean > 0 && mean < 1))
    throw new PipelineError('usage', `The mean to test is ${mean}, and it must be between 0 and 1.`)
  const bets = computeBets(values, alpha / 2, settings.aim)
  const [up, down] = [
    followCapital(values, bets, { mean, risk, side: 1 }),
    followCapital(values, bets, { mean, risk, side: -1 }),
  ]
  const capital = up.map((amount, i) => Math.max(share * amount, (1 - share) * (down[i] ?? 0)))
  const largest = capital.reduce((most, amount) => Math.max(most, amount), 0)
  return {
    capital,
    capitalSum: up.map((amount, i) => share * amount + (1 - share) * (down[i] ?? 0)),
    p: Math.min(1, 1 / largest),
  }
}

/**
 * Computes the confidence sequence of all means that no bet has rejected so far, at the wanted times: the numbers of
 * values after which to look. It is the narrowest of the sequences for bounded values.
 *
 * Each side's largest capital so far falls, or rises, with the candidate mean, so that each end is one root. It is
 * found to within 10⁻¹², where confseq's `betting_cs` tries the points of a grid.
 *
 * Source: Waudby-Smith & Ramdas, JRSS B (2024), section 4.
 *
 * Each time takes about a hundred passes over the values before it.
 *
 * @param times whole numbers from 1 to the number of values; by default the last one
 */
export function computeBettingSequence(
  values: readonly number[],
  { times = [values.length], ...settings }: BettingSettings & { readonly times?: readonly number[] | undefined } = {},
): readonly Interval[] {
  const { alpha, share, risk } = readSettings(values, settings)
  const bets = computeBets(values, alpha / 2, settings.aim)
  const odd = times.find(time => !(Number.isInteger(time) && time >= 1 && time <= values.length))
  if (odd !== undefined)
    throw new PipelineError('usage', `The time ${odd} is not one of the ${values.length} values, counted from 1.`)
  return times.map(time => {
    const earlierValues = values.slice(0, time)
    const isRejected = (mean: number, side: 1 | -1): boolean => {
      const part = side === 1 ? share : 1 - share
      const largest = followCapital(earlierValues, bets, { mean, risk, side }).reduce(
        (most, amount) => Math.max(most, amount),
        0,
      )
      return part * largest >= 1 / alpha
    }
    return [findEnd(mean => isRejected(mean, 1), 0), findEnd(mean => isRejected(mean, -1), 1)]
  })
}

/** Finds the end of the means that are rejected from `extreme` on, which is 0 or 1. The tested means lie strictly between. */
function findEnd(isRejected: (mean: number) => boolean, extreme: 0 | 1): number {
  let [rejected, kept]: [number, number] = [extreme, 1 - extreme]
  for (let i = 0; i < 40; i++) {
    const middle = (rejected + kept) / 2
    if (isRejected(middle)) rejected = middle
    else kept = middle
  }
  return Math.abs(rejected - extreme) < 1e-11 ? extreme : rejected
}

/** The capital of one side after each value. Side 1 bets that the mean is higher than `mean`, side −1 that it is lower. */
function followCapital(
  values: readonly number[],
  bets: readonly number[],
  { mean, risk, side }: { readonly mean: number; readonly risk: number; readonly side: 1 | -1 },
): readonly number[] {
  const most = risk / (side === 1 ? mean : 1 - mean)
  let capital = 1
  return values.map((value, i) => {
    capital *= 1 + side * Math.min(bets[i] ?? 0, most) * (value - mean)
    return capital
  })
}

function readSettings(
  values: readonly number[],
  { alpha = 0.05, share = 0.5, risk = 0.5 }: BettingSettings,
): { readonly alpha: number; readonly share: number; readonly risk: number } {
  checkBounded(values, alpha)
  if (values.length === 0) throw new PipelineError('usage', 'There are no values to bet on.')
  if (!(share >= 0 && share <= 1 && risk > 0 && risk <= 1))
    throw new PipelineError(
      'usage',
      `The share is ${share} and the risk ${risk}. Both must be from 0 to 1, and the risk above 0.`,
    )
  return { alpha, share, risk }
}
