import { interpolatePercentile } from '../../../../base/collections/percentile.js'

/** The rule by which a request gets a second copy: at a quantile (0 … 1) of the answers' latencies, or after a fixed time. */
export type HedgeAfter = { readonly quantile: number } | { readonly ms: number }

/** The minimum number of answers for a quantile. */
const fewest = 20
/** The number of latest answers that count. Older latencies are no evidence. */
const most = 1_000
/** The factor above the quantile. If all answers take the same time, none of them is late. */
const margin = 1.1
/** The maximum of hedges that brought nothing: this number plus this share of all requests. */
const idle = { count: 8, share: 0.1 } as const

/**
 * Decides when a second copy (a hedge) of a request is worth sending, by the results of earlier hedges. Times are
 * milliseconds.
 *
 * A request is late if it takes a tenth longer than the quantile. At 0.95, that is less than one request in twenty. If
 * hedges bring nothing because all answers take long now, {@link idle} limits them. Otherwise a slow server would get
 * everything twice.
 *
 * Source: Dean & Barroso, "The Tail at Scale", Communications of the ACM 56(2), 2013 (hedged requests).
 */
export class HedgeRule {
  readonly #after: HedgeAfter
  #latencies: number[] = []
  #place = 0
  /** The number of answers when the quantile was last computed. */
  #takenAt = 0
  #quantileMs: number | undefined
  #sent = 0
  #hedged = 0
  #won = 0

  constructor(after: HedgeAfter) {
    this.#after = after
  }

  /** Notes that a request was sent, for the first time or as a retry. */
  sent(): void {
    this.#sent += 1
  }

  /** Notes the time from a request's first copy to its answer, whichever copy was answered. */
  answered(ms: number): void {
    this.#latencies[this.#place % most] = ms
    this.#place += 1
  }

  hedged(): void {
    this.#hedged += 1
  }

  /** Notes that a hedge was answered first. */
  won(): void {
    this.#won += 1
  }

  /** The time after which a request is late. Undefined while it is unknown. */
  get afterMs(): number | undefined {
    if ('ms' in this.#after) return this.#after.ms
    // The quantile is not computed for each answer, because that sorts all of them.
    if (this.#place >= fewest && this.#place >= 1.05 * this.#takenAt) {
      this.#takenAt = this.#place
      this.#quantileMs =
        margin * interpolatePercentile(Float64Array.from(this.#latencies).sort(), 100 * this.#after.quantile)
    }
    return this.#quantileMs
  }

  /** True if hedges bring enough to send another one. */
  get mayHedge(): boolean {
    return this.#hedged - this.#won < idle.count + idle.share * this.#sent
  }
}
