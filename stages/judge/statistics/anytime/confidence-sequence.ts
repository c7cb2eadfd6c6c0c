/** Confidence sequences of a mean in [0, 1]: at every moment the interval covers the mean, however often it is looked at. */
import type { Interval } from '../intervals/interval.js'
import { checkBounded, computeBets } from './bets.js'

/** The settings of a confidence sequence. */
export interface SequenceSettings {
  /** The probability that the mean is ever left out. @default 0.05 */
  readonly alpha?: number | undefined
  /** Whether each interval is intersected with all before it, which is as valid and narrower. @default false */
  readonly isRunning?: boolean | undefined
}

/** The settings of the empirical Bernstein sequence. */
export interface BernsteinSettings extends SequenceSettings {
  /**
   * The centre of the variance: `paper` takes the mean so far with one value of ½ ahead; `confseq` takes the
   * plain mean so far, from 0 on, like the package. Both are valid. @default 'paper'
   */
  readonly centre?: 'paper' | 'confseq' | undefined
}

/**
 * Computes the predictable plug-in empirical Bernstein confidence sequence: one interval after each value. It is narrow
 * if the values vary little.
 *
 * Source: Waudby-Smith & Ramdas, JRSS B (2024), equations 13 to 16; confseq 0.0.11, `predmix_empbern_twosided_cs`.
 *
 * @throws PipelineError for a value outside [0, 1]
 */
export function computeBernsteinSequence(
  values: readonly number[],
  { alpha = 0.05, isRunning = false, centre = 'paper' }: BernsteinSettings = {},
): readonly Interval[] {
  checkBounded(values, alpha)
  const bets = computeBets(values, alpha / 2).map(bet => Math.min(0.5, bet))
  const lower = computeBernsteinLower(values, bets, { alpha: alpha / 2, centre })
  const mirrored = computeBernsteinLower(
    values.map(value => 1 - value),
    bets,
    { alpha: alpha / 2, centre },
  )
  return joinBounds(lower, mirrored, isRunning)
}

/**
 * Computes the predictable plug-in Hoeffding confidence sequence: one interval after each value. It ignores how much
 * the values vary.
 *
 * Source: Waudby-Smith & Ramdas, JRSS B (2024), section 3.1; confseq 0.0.11, `predmix_hoeffding_cs`.
 */
export function computeHoeffdingSequence(
  values: readonly number[],
  { alpha = 0.05, isRunning = false }: SequenceSettings = {},
): readonly Interval[] {
  checkBounded(values, alpha)
  const log = Math.log(2 / alpha)
  let [weights, weighted, cost] = [0, 0, 0]
  const bounds = values.map((value, i) => {
    const bet = Math.min(1, Math.sqrt((8 * log) / ((i + 1) * Math.log(i + 2))))
    weights += bet
    weighted += bet * value
    cost += (bet * bet) / 8
    const margin = (log + cost) / weights
    return { lower: weighted / weights - margin, mirrored: 1 - weighted / weights - margin }
  })
  return joinBounds(
    bounds.map(({ lower }) => lower),
    bounds.map(({ mirrored }) => mirrored),
    isRunning,
  )
}

function computeBernsteinLower(
  values: readonly number[],
  bets: readonly number[],
  { alpha, centre }: { readonly alpha: number; readonly centre: 'paper' | 'confseq' },
): readonly number[] {
  let [sum, weights, weighted, cost] = [0, 0, 0, 0]
  return values.map((value, i) => {
    const bet = bets[i] ?? 0
    const before = centre === 'paper' ? (0.5 + sum) / (i + 1) : i === 0 ? 0 : sum / i
    sum += value
    weights += bet
    weighted += bet * value
    cost += (value - before) ** 2 * (-Math.log1p(-bet) - bet)
    return (weighted + Math.log(alpha) - cost) / weights
  })
}

/** Joins lower bounds with those of the mirrored values 1 − x, within [0, 1]. */
function joinBounds(lower: readonly number[], mirrored: readonly number[], isRunning: boolean): readonly Interval[] {
  let [highest, lowest] = [0, 1]
  return lower.map((bound, i) => {
    const [from, to] = [Math.max(0, bound), Math.min(1, 1 - (mirrored[i] ?? 0))]
    highest = Math.max(highest, from)
    lowest = Math.min(lowest, to)
    return isRunning ? [highest, lowest] : [from, to]
  })
}
