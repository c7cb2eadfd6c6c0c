import { searchRules, type SearchRules } from './constants.js'

/** The certainty that a rejection was caused by the value. After a guess the search soon tries again, after `sure` late. */
export type Trust = 'guess' | 'likely' | 'sure'

/** The state of a search, which a later search can continue. */
export interface SearchState {
  readonly value: number
  readonly ceiling?: number
}

/**
 * Searches for the largest value that a server accepts, knowing only which values it rejected.
 *
 * It doubles the value until the first rejection. Then it goes half-way from the accepted to the rejected value until they
 * are close, and rests. After the rest it tries slightly more than the rejected value, then more and more, so that a
 * raised limit is found soon. If the same value is rejected again and never was higher, the rests grow longer.
 *
 * The shape (fast, then flat near the last rejection, then fast again) is that of CUBIC: Ha, Rhee, Xu, "CUBIC: a new
 * TCP-friendly high-speed TCP variant", 2008.
 */
export class LimitSearch {
  readonly #rules: SearchRules
  #value: number
  /** The last rejected value, until a higher value is accepted. */
  #ceiling: number | undefined
  #isDoubling: boolean
  #step: number
  /** True while the search goes beyond the values that are known to be accepted. */
  #isTrying = false
  #restUntil = 0
  /** Recent rejections. */
  #rejected: { readonly value: number; readonly at: number }[] = []
  /** The number of earlier rejections at about the same value as the last one. */
  #again = 0
  /** The certainty that the value caused the last rejection. */
  #trust: Trust = 'likely'
  /** The time for which nothing was sent after the last rejection. */
  #pauseMs = 0
  /** The value at which the search rests, or rested before it went beyond. Undefined while it approaches a rejected value. */
  #resting: number | undefined
  /** The highest value that was recently accepted for a round. */
  #highest = { value: 0, at: 0 }

  constructor(rules: SearchRules, from: SearchState, isDoubling: boolean) {
    this.#rules = rules
    this.#value = clamp(from.value, rules)
    this.#ceiling = from.ceiling
    if (!isDoubling) this.#resting = this.#value
    this.#isDoubling = isDoubling
    this.#step = rules.firstStep
  }

  copy(): LimitSearch {
    const copy = new LimitSearch(this.#rules, this.state, this.#isDoubling)
    copy.#step = this.#step
    copy.#isTrying = this.#isTrying
    copy.#restUntil = this.#restUntil
    copy.#rejected = this.#rejected
    copy.#again = this.#again
    copy.#pauseMs = this.#pauseMs
    copy.#trust = this.#trust
    copy.#resting = this.#resting
    copy.#highest = this.#highest
    return copy
  }

  get value(): number {
    return this.#value
  }

  /** True if the next step leads towards a rejected value, and not beyond. */
  get isNearing(): boolean {
    return this.#gap > 0 && this.#resting === undefined
  }

  get state(): SearchState {
    return { value: this.#value, ...(this.#ceiling === undefined ? {} : { ceiling: this.#ceiling }) }
  }

  /** Reports that the present value was fully used for a round and accepted, so that more may be tried. */
  grow(now: number): void {
    const { firstStep, leastStep } = this.#rules
    const isHigher = this.#value >= this.#highest.value || now - this.#highest.at > searchRules.memoryMs
    if (isHigher) this.#highest = { value: this.#value, at: now }
    if (this.#ceiling !== undefined && this.#value > this.#ceiling - leastStep / 2) this.#ceiling = undefined
    if (now < this.#restUntil) return
    if (this.#isDoubling) {
      this.#set(2 * this.#value)
    } else if (this.isNearing) {
      this.#set(this.#value + Math.max(leastStep, Math.min(this.#gap / 2, this.#longestStride * this.#value)))
      if (this.#gap === 0) this.#rest(now)
    } else {
      const way =
        this.#isTrying && this.#ceiling === undefined ? this.#rules.leap * (this.#highest.value - this.#value) : 0
      const isLeap = way > 2 * this.#step * this.#value
      this.#step = this.#isTrying && !isLeap ? Math.min(this.#rules.longestStep, 2 * this.#step) : firstStep
      this.#isTrying = true
      this.#set(this.#value + Math.max(leastStep, this.#step * this.#value, way))
    }
  }

  get #longestStride(): number {
    return this.#gap > this.#value ? this.#rules.farStride : this.#rules.stride
  }

  /** The distance to the value that may be tried without a rest. 0 if it is close. */
  get #gap(): number {
    const { near, tolerance, leastStep } = this.#rules
    if (this.#ceiling === undefined) return 0
    const gap = Math.min(near * this.#ceiling, this.#ceiling - leastStep) - this.#value
    return gap > tolerance * this.#value ? gap : 0
  }

  /**
   * Goes back from a rejected value.
   *
   * @param keep the value that seems to be accepted
   * @param until the earliest time for growth, in milliseconds
   */
  cut(
    now: number,
    {
      at,
      keep,
      until = now,
      trust = 'likely',
    }: {
      readonly at: number
      readonly keep: number
      readonly until?: number
      readonly trust?: Trust
    },
  ): void {
    this.#rejected = this.#rejected.filter(other => now - other.at < searchRules.memoryMs)
    this.#again = this.#rejected.filter(({ value }) => Math.abs(value / at - 1) < searchRules.sameShare).length
    this.#rejected.push({ value: at, at: now })
    this.#isDoubling = false
    this.#isTrying = false
    this.#ceiling = at
    this.#set(keep)
    const { tolerance } = this.#rules
    this.#pauseMs = until - now
    this.#trust = trust
    const isBack = this.#resting !== undefined && Math.abs(this.#value / this.#resting - 1) <= tolerance
    this.#resting = undefined
    if (this.#gap > 0 && !isBack) this.#restUntil = until
    else this.#rest(until)
  }

  /** Goes back to a value and rests, because more brought no gain. */
  retreat(now: number, value: number, restMs = this.#restMs): void {
    this.#isDoubling = false
    this.#isTrying = false
    this.#set(value)
    this.#rest(now, restMs)
  }

  /** Ends the rest, so that more is tried at the next occasion. */
  wakeUp(): void {
    this.#restUntil = 0
  }

  #rest(from: number, restMs = this.#restMs): void {
    this.#resting = this.#value
    this.#restUntil = from + restMs
  }

  /** The length of a rest. It is shorter if the value was higher before, as that may return. */
  get #restMs(): number {
    const { restMs, longestRestMs, firstStep } = this.#rules
    const { likely, hopeful, sure } = searchRules.restsPerPause
    if (this.#trust === 'guess') return searchRules.guessRestMs
    if (this.#highest.value > (1 + 4 * firstStep) * this.#value)
      return Math.min(longestRestMs, Math.max(restMs, hopeful * this.#pauseMs))
    if (this.#trust === 'sure') return Math.min(searchRules.longestPauseRestMs, sure * this.#pauseMs)
    // A single rejection may have another cause.
    const least = this.#again === 0 ? 0 : Math.min(searchRules.longestPauseRestMs, likely * this.#pauseMs)
    return Math.max(least, Math.min(longestRestMs, restMs * 2 ** this.#again))
  }

  #set(value: number): void {
    this.#value = clamp(value, this.#rules)
  }
}

const clamp = (value: number, { min, max }: SearchRules): number => Math.min(max, Math.max(min, value))
