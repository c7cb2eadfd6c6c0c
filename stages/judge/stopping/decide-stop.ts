/** Decides whether there are enough scored docs. Every decision is a function of the scores in their order. */
import type { Interval } from '../statistics/intervals/interval.js'
import type { BetAim } from '../statistics/anytime/bets.js'
import { computeBettingSequence } from '../statistics/anytime/betting.js'

/** The scores of docs in the order of sending. A doc without a score is undefined. */
export type OrderedScores = readonly (number | undefined)[]

const firstLook = 50
const growth = 1.2

/**
 * Lists the numbers of docs after which a task looks at its scores: 50, then 20 % more each time, and all docs last.
 * Requests of the next docs are sent after a look, so that fewer looks keep a server busier.
 */
export function listLooks(docs: number): readonly number[] {
  const looks: number[] = []
  for (let look = firstLook; look < docs; look = Math.ceil(look * growth)) looks.push(look)
  return [...looks, docs]
}

/** The point at which an interval shall be narrow: at a half-width, or for tasks that stop somewhere up to a number of docs. */
export type IntervalAim = { readonly halfWidth: number } | { readonly docs: number }

/**
 * Computes an interval of a mean that stays valid with any number of checks: the betting confidence sequence. A doc without a score counts as the
 * lowest value for the lower end, and as the highest for the upper end.
 *
 * @param range the lowest and highest value of a doc
 * @param aim the value near which the interval should be narrow, chosen before any score is known
 * @returns undefined if there are no docs
 */
export function computeAnytimeInterval(
  scores: OrderedScores,
  [low, high]: Interval,
  aim: IntervalAim,
): Interval | undefined {
  if (scores.length === 0) return undefined
  const scale = (missing: number): readonly number[] =>
    scores.map(score => (score === undefined ? missing : Math.min(1, Math.max(0, (score - low) / (high - low)))))
  const scaled: BetAim = 'halfWidth' in aim ? { offset: aim.halfWidth / (high - low) } : { values: aim.docs / 4 }
  const [lowest] = computeBettingSequence(scale(0), { aim: scaled })
  const [highest] = scores.includes(undefined) ? computeBettingSequence(scale(1), { aim: scaled }) : [lowest]
  if (lowest === undefined || highest === undefined) return undefined
  return [low + lowest[0] * (high - low), low + highest[1] * (high - low)]
}

/** Tells whether an interval is narrow enough: half its width is below a limit. */
export const isNarrow = ([low, high]: Interval, below: number): boolean => (high - low) / 2 < below

/** Tells whether the interval of a difference excludes 0. */
export const excludesZero = ([low, high]: Interval): boolean => low > 0 || high < 0
