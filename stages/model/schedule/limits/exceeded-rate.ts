import { guessRules } from './constants.js'

/** The requests that the server accepted before a rate limit. Rates are per second, times in milliseconds. */
export interface AcceptedRequests {
  /** The time when the previous pause ended, or when the first request was sent. */
  readonly began: number
  /** True if no request had been rate limited before. */
  readonly isStart: boolean
  /** The number of requests since then. */
  readonly count: number
  /** The number of these that certainly came before the rate-limited one. */
  readonly surely: number
  /** The number of requests in the second before it. */
  readonly last: number
  /** True if requests were sent during all of that second. */
  readonly isWhole: boolean
  /** The rate at which it was rate limited. */
  readonly peak: number
  /** The average rate from the end of the previous pause to the end of this one. */
  readonly average: number
}

/** A guess from the first rate limit: the exceeded rate, the rate to keep, and how certain that is. */
export interface FirstGuess {
  readonly at: number
  readonly keep: number
  readonly trust: 'guess' | 'likely' | 'sure'
}

/**
 * Guesses the limit from the first rate limit. If the server counts by the second, the limit is the number accepted in a
 * second. If it has a bucket that was full, the limit is lower. If few requests came at once, it is unknown.
 */
export function firstGuess(now: number, traffic: AcceptedRequests): FirstGuess {
  const { began, last, isWhole, average } = traffic
  const peak = Math.max(1, traffic.peak)
  const isCounted = isWhole || now - began >= guessRules.longMs || last >= guessRules.leastCount
  const at = isCounted ? Math.min(peak, Math.max(last, average)) : peak
  const chosen = chosenLimit(now, traffic)
  if (chosen !== undefined) return { at, keep: Math.min(peak, guessRules.sureMargin * chosen), trust: 'sure' }
  const middle = Math.sqrt(last * peak)
  const likely = last < guessRules.leastCount ? middle : Math.min(1.3 * last, middle)
  return { at, keep: guessRules.firstShare * Math.max(1, isWhole ? last : likely), trust: isWhole ? 'likely' : 'guess' }
}

/** Finds a limit per second: if exactly a typical number was accepted from the start on, that is the limit. */
export function chosenLimit(now: number, { began, isStart, count, surely }: AcceptedRequests): number | undefined {
  const lastedMs = now - began
  const isLong =
    lastedMs >= (count >= guessRules.manyAtOnce ? guessRules.burstMs : guessRules.longMs) && lastedMs < 1_100
  if (!isStart || !isLong) return undefined
  for (let chosen = count; chosen >= Math.max(surely, count - guessRules.unsure); chosen -= 1)
    if (isRound(chosen)) return chosen
  return undefined
}

/** Computes what to keep of a rate that never held and was soon exceeded again. */
export function keptSoon(rate: number, { average, isWhole }: AcceptedRequests): number {
  const middle = Math.sqrt(Math.min(average, rate) * rate)
  return Math.min(guessRules.slowest * rate, isWhole ? middle : Math.max(0.5 * rate, middle))
}

/** Computes the exceeded rate, above which nothing is tried for a while. */
export function exceededAt(now: number, rate: number, traffic: AcceptedRequests): number {
  const { isWhole, began, last, average } = traffic
  const isCounted = isWhole || now - began >= guessRules.longMs
  return isCounted ? Math.min(rate, Math.max(last, average)) : rate
}

const roundNumbers: ReadonlySet<number> = new Set([1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8])

/** Tells whether a count looks like a configured limit, such as 20, 25, 100, 120 or 1,500, and is too large for coincidence. */
function isRound(count: number): boolean {
  const unit = 10 ** Math.floor(Math.log10(count))
  return count >= guessRules.leastRound && roundNumbers.has(Math.round((100 * count) / unit) / 100)
}
