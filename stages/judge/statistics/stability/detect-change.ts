/** Decides whether an endpoint answers differently than before, from the share of answers that it repeats. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { binomialCdf } from '../distributions/binomial.js'
import { lnGamma } from '../distributions/gamma.js'
import type { Interval } from '../intervals/interval.js'
import { wilson } from '../intervals/proportions.js'

/** The number of repeated answers, and the number of equal ones. */
export interface MatchCounts {
  readonly matches: number
  readonly n: number
}

/** A decision about an endpoint. */
export interface ChangeDecision extends MatchCounts {
  /** The share of equal answers. */
  readonly rate: number
  /** Wilson's 95 % interval of the share. */
  readonly interval: Interval
  /** The other side of the comparison: the counts of a time when the endpoint was the same, or the tolerated share. */
  readonly expected: MatchCounts | number
  /** The probability of so few equal answers, or fewer, if nothing changed. */
  readonly p: number
  readonly isChanged: boolean
}

/** The rate of false alarms is below this number. Both tests are exact, so that it is a limit. */
const falseAlarmRate = 0.005

/** The share of equal answers that an endpoint is expected to reach at temperature 0 if nothing is known of it. */
export const defaultTolerance = 0.9

/**
 * Decides whether an endpoint repeats fewer answers than before. With counts of an earlier time, by Fisher's exact
 * one-sided test; otherwise by the exact binomial test against the tolerated share.
 *
 * Source: Fisher, "The Logic of Inductive Inference", Journal of the Royal Statistical Society 98 (1935).
 *
 * @throws PipelineError without answers, or with a tolerance outside (0, 1)
 */
export function detectChange(
  { matches, n }: MatchCounts,
  expected: MatchCounts | number = defaultTolerance,
): ChangeDecision {
  if (!(n > 0 && matches >= 0 && matches <= n))
    throw new PipelineError('usage', `There are ${n} answers, and ${matches} are equal. A decision needs at least one.`)
  if (typeof expected === 'number' && !(expected > 0 && expected < 1))
    throw new PipelineError('usage', `The tolerance is ${expected}, and it must be between 0 and 1.`)
  const p =
    typeof expected === 'number' ? binomialCdf(matches, n, expected) : computeFisherLower({ matches, n }, expected)
  return { matches, n, rate: matches / n, interval: wilson(matches, n), expected, p, isChanged: p < falseAlarmRate }
}

/** Computes the probability that the first sample has so few matches or fewer, given the matches of both together. */
function computeFisherLower(first: MatchCounts, second: MatchCounts): number {
  const allMatches = first.matches + second.matches
  const whole = logChoose(first.n + second.n, allMatches)
  let sum = 0
  for (let matches = Math.max(0, allMatches - second.n); matches <= first.matches; matches++)
    sum += Math.exp(logChoose(first.n, matches) + logChoose(second.n, allMatches - matches) - whole)
  return Math.min(1, sum)
}

const logChoose = (n: number, k: number): number => lnGamma(n + 1) - lnGamma(k + 1) - lnGamma(n - k + 1)
