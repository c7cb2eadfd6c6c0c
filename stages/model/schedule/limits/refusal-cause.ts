import type { ConcurrencyController } from './concurrency-controller.js'
import type { Seen } from './refused-rate.js'
import type { Send, Sends } from './sends.js'

/** The time before a refusal in which requests are considered, unless a pause has ended since. */
const lookBackMs = 2_000
/** The time for which an accepted number of requests in flight is evidence. */
const memoryMs = 30_000
/** Below this number of slots, a missing slot costs more than another refusal. */
const few = 12
/** Fewer requests are no evidence. */
const leastSeen = 4
/** If more requests than this were answered with more slots than before, the added slots are not the cause. */
const mostBeyond = 8
/** A server may accept this few requests at one moment. */
const lone = 3

/**
 * Decides whether a request was refused because of the number of requests in flight, or because of their rate. It uses
 * the results of the requests around it.
 */
export class RefusalCause {
  readonly #sends: Sends
  readonly #controller: ConcurrencyController
  /** True after a refusal because of the slots. A burst may then be refused for the same reason. */
  #areSlotsKnown = false

  constructor(sends: Sends, controller: ConcurrencyController) {
    this.#sends = sends
    this.#controller = controller
  }

  /**
   * Returns the server's maximum number of requests in flight, if that is why it refused this one.
   *
   * @param isPaceNew true if the rate had not yet held for long when it was sent
   */
  slotsOf(first: Send, seen: Seen, isPaceNew: boolean): number | undefined {
    const slots = this.#look(first, seen, isPaceNew)
    if (slots !== undefined) this.#areSlotsKnown = true
    return slots
  }

  #look(first: Send, seen: Seen, isPaceNew: boolean): number | undefined {
    const { began, isWhole } = seen
    const level = this.#sends.levelOf(first)
    if (level < 2) return undefined
    const { proven, limit } = this.#controller
    const inHand = this.#sends.inHand(first)
    const since = Math.max(began, first.at - lookBackMs)
    const taken = this.#sends.mostTaken(since, first.at)
    const slots = Math.max(1, Math.min(level - 1, Math.max(inHand, taken, inHand < few ? inHand + 1 : 0)))
    if (!this.#mayBeSlots(inHand) && this.#sends.isBurst(first)) return undefined
    // A new rate is a likelier cause than the number in flight.
    if (level < limit && isPaceNew) return undefined
    const above = this.#sends.answeredAt(level, { since, before: first })
    if (this.#controller.isFirstBeyond(level) && above <= mostBeyond) return Math.max(proven, slots)
    // If all slots were filled since a pause, and soon after it, earlier results are no evidence: there may be fewer
    // slots now.
    const isRefilled = !isWhole && this.#sends.borne(began - 1, first.at) >= Math.max(leastSeen, inHand)
    return this.#sends.isBorneElsewhere(first, isRefilled ? began : first.at - memoryMs) ? undefined : slots
  }

  /** Tells whether slots are the likelier cause of a refused burst: it is the first large one, or slots were found and held. */
  #mayBeSlots(inHand: number): boolean {
    const haveHeld = this.#controller.proven > 0
    return this.#areSlotsKnown ? haveHeld : inHand > lone && !haveHeld
  }
}
