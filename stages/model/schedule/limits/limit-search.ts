/** How a limit is looked for. Shares are of the present value. */
export interface SearchRules {
  readonly min: number
  readonly max: number
  /** The first step beyond what was refused before; each further one is twice as long. */
  readonly firstStep: number
  /** The shortest step, in units of the value. */
  readonly leastStep: number
  /** It is gone up to this share of what was refused, and no further before a rest. */
  readonly near: number
  /** So close to that, the value rests. */
  readonly tolerance: number
  /** The longest step towards what was refused. */
  readonly stride: number
  /** The longest step beyond it. */
  readonly longestStep: number
  /** The longest step towards what was refused where that is far off. */
  readonly farStride: number
  /** Milliseconds of rest after a refusal, at least, before more is tried; doubled while it is refused in the same place. */
  readonly restMs: number
  readonly longestRestMs: number
  /** Once more is borne again, a step goes this share of the way to the value that was borne before. */
  readonly leap: number
}

/** How sure it is that a value was refused for itself: a guess is soon tried again, and what is sure is long not. */
export type Trust = 'guess' | 'usual' | 'sure'

/** The state of a search, to go on from later. */
export interface SearchState {
  readonly value: number
  readonly ceiling?: number
}

const nearShare = 0.3
/** For this long it is remembered that a limit was higher. */
const memoryMs = 120_000
/** Refusals so close to each other, as a share, are about the same limit. */
const samePlace = 0.4
/** A rest lasts so many times as long as a try that is refused costs; less where the limit was higher before. */
const restsPerPause = { usual: 50, hopeful: 16, sure: 75 } as const
const guessRestMs = 1_000
/** Its first step is so much longer. */
const guessSteps = 4
const longestPauseRestMs = 300_000

/**
 * Looks for the largest value that something bears, when all that is known of it is which values it refused.
 *
 * Doubles until the first refusal. Then it goes half-way from what holds to what was refused, until they are close, and
 * rests there; after the rest it tries a little more than was refused, then more and more, so that a limit that was raised
 * is found soon. Where it is refused in the same place again and never was higher, the rests grow longer.
 *
 * The shape (fast, then flat near the last refusal, then fast again) is that of CUBIC: Ha, Rhee, Xu, "CUBIC: a new
 * TCP-friendly high-speed TCP variant", 2008.
 */
export class LimitSearch {
  readonly #rules: SearchRules
  #value: number
  /** What was refused last, as long as no more than that was borne since. */
  #ceiling: number | undefined
  #isDoubling: boolean
  #step: number
  /** Whether it is going beyond what is known to hold. */
  #isTrying = false
  #restUntil = 0
  /** What was refused lately. */
  #refused: { readonly value: number; readonly at: number }[] = []
  /** How many earlier refusals were in the place of the last one. */
  #again = 0
  /** How certain it is that the last refusal was for the value. */
  #trust: Trust = 'usual'
  /** For how long nothing was sent after the last refusal. */
  #pauseMs = 0
  /** The value at which it rests, or rested before it went beyond. */
  #resting: number | undefined
  /** The highest value that was borne for a round, lately. */
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
    copy.#refused = this.#refused
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

  /** Whether the next step may well be refused: it leads close to what was. */
  get isNear(): boolean {
    return this.isNearing && this.#gap < nearShare * this.#value
  }

  /** Whether the next step leads towards what was refused before, and not beyond. */
  get isNearing(): boolean {
    return this.#gap > 0 && this.#resting === undefined
  }

  get state(): SearchState {
    return { value: this.#value, ...(this.#ceiling === undefined ? {} : { ceiling: this.#ceiling }) }
  }

  /** The present value was used in full for a round and borne: more may be tried. */
  grow(now: number): void {
    const { firstStep, leastStep } = this.#rules
    const isHigher = this.#value >= this.#highest.value || now - this.#highest.at > memoryMs
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
      this.#step =
        this.#isTrying && !isLeap
          ? Math.min(this.#rules.longestStep, 2 * this.#step)
          : this.#trust === 'guess'
            ? guessSteps * firstStep
            : firstStep
      this.#isTrying = true
      this.#set(this.#value + Math.max(leastStep, this.#step * this.#value, way))
    }
  }

  get #longestStride(): number {
    return this.#gap > this.#value ? this.#rules.farStride : this.#rules.stride
  }

  /** How far it is to what may be tried without a rest; 0 where that is close. */
  get #gap(): number {
    const { near, tolerance, leastStep } = this.#rules
    if (this.#ceiling === undefined) return 0
    const gap = Math.min(near * this.#ceiling, this.#ceiling - leastStep) - this.#value
    return gap > tolerance * this.#value ? gap : 0
  }

  /**
   * Goes back from a value that was refused.
   *
   * @param keep what seems to hold
   * @param until milliseconds; growth waits at least so long
   */
  cut(
    now: number,
    {
      at,
      keep,
      until = now,
      trust = 'usual',
    }: {
      readonly at: number
      readonly keep: number
      readonly until?: number
      readonly trust?: Trust
    },
  ): void {
    this.#refused = this.#refused.filter(other => now - other.at < memoryMs)
    this.#again = this.#refused.filter(({ value }) => Math.abs(value / at - 1) < samePlace).length
    this.#refused.push({ value: at, at: now })
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

  /** Goes back and stays there for a while: more brought nothing, or not for long. */
  retreat(now: number, value: number, restMs = this.#restMs): void {
    this.#isDoubling = false
    this.#isTrying = false
    this.#set(value)
    this.#rest(now, restMs)
  }

  /** Tries more at the next occasion. */
  wakeUp(): void {
    this.#restUntil = 0
  }

  #rest(from: number, restMs = this.#restMs): void {
    this.#resting = this.#value
    this.#restUntil = from + restMs
  }

  /** Shorter where it was higher before, which may come back. */
  get #restMs(): number {
    const { restMs, longestRestMs, firstStep } = this.#rules
    const { usual, hopeful, sure } = restsPerPause
    if (this.#trust === 'guess') return guessRestMs
    if (this.#highest.value > (1 + 4 * firstStep) * this.#value)
      return Math.min(longestRestMs, Math.max(restMs, hopeful * this.#pauseMs))
    if (this.#trust === 'sure') return Math.min(longestPauseRestMs, sure * this.#pauseMs)
    // What was refused only once may have been refused for another reason.
    const least = this.#again === 0 ? 0 : Math.min(longestPauseRestMs, usual * this.#pauseMs)
    return Math.max(least, Math.min(longestRestMs, restMs * 2 ** this.#again))
  }

  #set(value: number): void {
    this.#value = clamp(value, this.#rules)
  }
}

const clamp = (value: number, { min, max }: SearchRules): number => Math.min(max, Math.max(min, value))
