import type { ConcurrencyController } from './concurrency-controller.js'
import { chosenLimit, isChosen, type Seen } from './refused-rate.js'
import type { Send, Sends } from './sends.js'

/** What was borne before a refusal is looked for this far back, unless a pause has ended since. */
const lookBackMs = 2_000
/** For this long, what was borne says how much is borne. */
const memoryMs = 30_000
/** A pace that is kept so much slower is another one. */
const slower = 0.97
/** Below this number of slots, one too few costs more than another refusal. */
const few = 12
/** Fewer requests say nothing. */
const leastSeen = 4
/** More than so many with more slots than before show that it is not for these that one is refused. */
const mostBeyond = 8
/** A server may admit this few at one moment. */
const lone = 3

/**
 * Tells whether something was refused because so many requests were under way, or because so many came in a time, by what
 * became of the requests around it.
 */
export class RefusalCause {
  readonly #sends: Sends
  readonly #controller: ConcurrencyController
  /** The refusal before this one: the same number in hand at a slower pace is the server's number of slots. */
  #before: { readonly inHand: number; readonly peak: number } | undefined
  /** A refusal was for the slots before, so that a burst may be refused for them, too. */
  #areSlotsKnown = false

  constructor(sends: Sends, controller: ConcurrencyController) {
    this.#sends = sends
    this.#controller = controller
  }

  /**
   * How many requests the server takes at once, where that is why it refused this one.
   *
   * @param isPaceNew the pace had not proved to hold when it was sent
   */
  slotsOf(first: Send, seen: Seen, isPaceNew: boolean): number | undefined {
    const slots = this.#look(first, seen, isPaceNew)
    if (slots !== undefined) this.#areSlotsKnown = true
    return slots
  }

  #look(first: Send, seen: Seen, isPaceNew: boolean): number | undefined {
    const { began, peak, isWhole } = seen
    const level = this.#sends.levelOf(first)
    if (level < 2) return undefined
    const { proven, limit } = this.#controller
    const inHand = this.#sends.inHand(first)
    if (chosenLimit(first.at, seen) !== undefined && !isChosen(inHand)) return undefined
    const before = this.#before
    this.#before = { inHand, peak }
    const since = Math.max(began, first.at - lookBackMs)
    const taken = this.#sends.mostTaken(since, first.at)
    const slots = Math.max(1, Math.min(level - 1, Math.max(inHand, taken, inHand < few ? inHand + 1 : 0)))
    const isAsHigh = before !== undefined && Math.abs(before.inHand - inHand) <= 1 + 0.03 * inHand
    if (isAsHigh && isWhole && peak <= slower * before.peak && !this.#sends.isBorneElsewhere(first, began)) return slots
    if (!this.#mayBeSlots(inHand) && this.#sends.isBurst(first)) return undefined
    // A pace that is new says more than how many were under way with it.
    if (level < limit && isPaceNew) return undefined
    const above = this.#sends.answeredAt(level, { since, before: first })
    if (this.#controller.isFirstBeyond(level) && above <= mostBeyond) return Math.max(proven, slots)
    // Where all slots were filled since a pause, and soon after it, what was borne before says nothing: they may be fewer.
    const isRefilled = !isWhole && this.#sends.borne(began - 1, first.at) >= Math.max(leastSeen, inHand)
    return this.#sends.isBorneElsewhere(first, isRefilled ? began : first.at - memoryMs) ? undefined : slots
  }

  /** Whether a burst is refused rather for the slots: the first one of more than few, and where slots were found and held. */
  #mayBeSlots(inHand: number): boolean {
    const haveHeld = this.#controller.proven > 0
    return this.#areSlotsKnown ? haveHeld : inHand > lone && !haveHeld
  }
}
