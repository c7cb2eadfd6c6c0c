import { causeRules } from './constants.js'
import type { ConcurrencyController } from './concurrency-controller.js'
import type { AcceptedRequests } from './exceeded-rate.js'
import type { Send, Sends } from './sends.js'

/**
 * Decides whether a server limits the number of requests in flight or their rate. It uses
 * the results of the requests around it.
 */
export class LimitCause {
  readonly #sends: Sends
  readonly #controller: ConcurrencyController
  /** True after a rate limit because of the slots. A burst may then be rejected for the same reason. */
  #areSlotsKnown = false

  constructor(sends: Sends, controller: ConcurrencyController) {
    this.#sends = sends
    this.#controller = controller
  }

  /**
   * Returns the server's maximum number of requests in flight, if that is why it rejected this one.
   *
   * @param isPaceNew true if the rate had not yet held for long when it was sent
   */
  slotsOf(first: Send, traffic: AcceptedRequests, isPaceNew: boolean): number | undefined {
    const slots = this.#look(first, traffic, isPaceNew)
    if (slots !== undefined) this.#areSlotsKnown = true
    return slots
  }

  #look(first: Send, traffic: AcceptedRequests, isPaceNew: boolean): number | undefined {
    const { began, isWhole } = traffic
    const level = this.#sends.levelOf(first)
    if (level < 2) return undefined
    const { proven, limit } = this.#controller
    const inHand = this.#sends.inHand(first)
    const since = Math.max(began, first.at - causeRules.lookBackMs)
    const peakTaken = this.#sends.mostTaken(since, first.at)
    const slots = Math.max(
      1,
      Math.min(level - 1, Math.max(inHand, peakTaken, inHand < causeRules.few ? inHand + 1 : 0)),
    )
    if (!this.#mayBeSlots(inHand) && this.#sends.isBurst(first)) return undefined
    // A new rate is a likelier cause than the number in flight.
    if (level < limit && isPaceNew) return undefined
    const above = this.#sends.answeredAt(level, { since, before: first })
    if (this.#controller.isFirstBeyond(level) && above <= causeRules.mostBeyond) return Math.max(proven, slots)
    // If all slots were filled since a pause, and soon after it, earlier results are no evidence: there may be fewer
    // slots now.
    const isRefilled = !isWhole && this.#sends.borne(began - 1, first.at) >= inHand
    return this.#sends.isBorneElsewhere(first, isRefilled ? began : first.at - causeRules.memoryMs) ? undefined : slots
  }

  /** Tells whether slots are the likelier cause of a rate-limited burst: it is the first large one, or slots were found and held. */
  #mayBeSlots(inHand: number): boolean {
    const haveHeld = this.#controller.proven > 0
    return this.#areSlotsKnown ? haveHeld : inHand > causeRules.lone && !haveHeld
  }
}
