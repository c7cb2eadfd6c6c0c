/** What was borne before a refusal. Requests a second, milliseconds. */
export interface Seen {
  /** When the pause before it ended, or when the first was sent. */
  readonly began: number
  /** Whether nothing had been refused before. */
  readonly isStart: boolean
  /** Requests since it began. */
  readonly count: number
  /** Those of them that surely came before the one that was refused. */
  readonly surely: number
  /** Requests in the second before it. */
  readonly last: number
  /** Whether something was sent for all of that second. */
  readonly isWhole: boolean
  /** Requests a second at which it was refused. */
  readonly peak: number
  /** Requests a second from the end of the pause before to the end of this one. */
  readonly average: number
}

/** The share to keep of a rate that holds: whole windows of the server's must fit, and timers are not exact. */
export const margin = 0.985
/** The share to keep of a known limit that was never reached: late requests make up for it in the next second. */
const sureMargin = 0.975
/** Kept of what was borne in a second where no rate was looked for yet: it may be the most of two windows. */
const firstShare = 0.75
/** Fewer requests at once do not tell how many come in a second. */
const leastCount = 12
/** After this time it is known what came in a second. */
const longMs = 500
/** A round number this large is no coincidence, however soon one more was refused, unless all came at once. */
const manyAtOnce = 100
const burstMs = 50
/** If more than this many may have come before or after the refused one, some number among them is round by chance. */
const unsure = 2
/** A rate that is refused again soon falls to this share at most. */
const slowest = 0.9
/** Averages so close to each other are the same. */
const sameAverage = 0.1

/** What a first refusal says of a rate: what may be tried up to, what is kept, and how sure that is. */
export interface FirstGuess {
  readonly at: number
  readonly keep: number
  readonly trust: 'guess' | 'usual' | 'sure'
}

/**
 * Where no rate was looked for yet. What was borne in a second is the limit where that counts by the second, and more than it
 * where a bucket was full; where few came at once, it is not known at all.
 */
export function firstGuess(now: number, seen: Seen): FirstGuess {
  const { began, last, isWhole, average } = seen
  const peak = Math.max(1, seen.peak)
  const isCounted = isWhole || now - began >= longMs || last >= leastCount
  const at = isCounted ? Math.min(peak, Math.max(last, average)) : peak
  const chosen = chosenLimit(now, seen)
  if (chosen !== undefined) return { at, keep: Math.min(peak, sureMargin * chosen), trust: 'sure' }
  const middle = Math.sqrt(last * peak)
  const likely = last < leastCount ? middle : Math.min(1.3 * last, middle)
  return { at, keep: firstShare * Math.max(1, isWhole ? last : likely), trust: isWhole ? 'usual' : 'guess' }
}

/** The limit of a second, where from the start on just as many were taken as people choose for one. */
export function chosenLimit(now: number, { began, isStart, count, surely }: Seen): number | undefined {
  const lastedMs = now - began
  const isLong = lastedMs >= (count >= manyAtOnce ? burstMs : longMs) && lastedMs < 1_100
  if (!isStart || !isLong) return undefined
  for (let chosen = count; chosen >= Math.max(surely, count - unsure); chosen -= 1) if (isRound(chosen)) return chosen
  return undefined
}

/** The share to keep of a rate that never held and was refused soon after another. @param before the average until then */
export function keptSoon(rate: number, { average, isWhole }: Seen, before: number): number {
  // What is the same on average at another pace is what is granted.
  if (before > 1 && Math.abs(average - before) <= sameAverage * before) return Math.min(rate, margin * average)
  const middle = Math.sqrt(Math.min(average, rate) * rate)
  return Math.min(slowest * rate, isWhole ? middle : Math.max(0.5 * rate, middle))
}

/** What was refused, as a rate that nothing beyond is tried of for a while. @param isSpread whether more came in other seconds */
export function refusedAt(now: number, rate: number, seen: Seen, isSpread: boolean): number {
  const { isWhole, began, last, average } = seen
  const isCounted = !isSpread && (isWhole || now - began >= longMs)
  return isCounted ? Math.min(rate, Math.max(last, average)) : rate
}

const roundNumbers: ReadonlySet<number> = new Set([1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8])
const leastRound = 20

/** Whether people choose such a number for a limit, also one of slots. */
export const isChosen = (count: number): boolean =>
  count < leastRound || isRound(count) || Number.isInteger(Math.log2(count))

/** Whether people choose such a number for a limit, and it is too large for a coincidence: 20, 25, 100, 120, 1,500. */
function isRound(count: number): boolean {
  const unit = 10 ** Math.floor(Math.log10(count))
  return count >= leastRound && roundNumbers.has(Math.round((100 * count) / unit) / 100)
}
