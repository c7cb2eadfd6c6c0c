import { percentileOf } from '../../stats/distribution.js'

/** After how long a request gets a second copy: at a quantile (0 … 1) of the answers' latencies, or a given time. */
export type HedgeAfter = { readonly quantile: number } | { readonly ms: number }

/** Fewer answers give no quantile. */
const fewest = 20
/** Only the latest answers count: an hour-old latency says little. */
const most = 1_000
/** If all answers take the same time, none of them is late. */
const margin = 1.1
/** Copies that brought nothing, at most: so many, and this share of all requests. */
const idle = { count: 8, share: 0.1 } as const

/**
 * Decides when a second copy of a request is worth sending, by what came of those before. Milliseconds.
 *
 * What takes a tenth longer than the quantile is late: at 0.95 that is less than one request in twenty. Where copies bring nothing, since all
 * answers take long now, no further ones are sent than {@link idle} allows: a server that does not keep up would be asked twice for everything.
 *
 * Source: Dean & Barroso, "The Tail at Scale", Communications of the ACM 56(2), 2013 (hedged requests).
 */
export class HedgeRule {
  readonly #after: HedgeAfter
  #latencies: number[] = []
  #place = 0
  /** Known answers when the quantile was taken last. */
  #takenAt = 0
  #quantileMs: number | undefined
  #sent = 0
  #hedged = 0
  #won = 0

  constructor(after: HedgeAfter) {
    this.#after = after
  }

  /** A request was sent for the first time, or tried again. */
  sent(): void {
    this.#sent += 1
  }

  /** A request was answered, so long after its first copy was sent, whichever copy it was. */
  answered(ms: number): void {
    this.#latencies[this.#place % most] = ms
    this.#place += 1
  }

  hedged(): void {
    this.#hedged += 1
  }

  /** A second copy was answered first. */
  won(): void {
    this.#won += 1
  }

  /** From when on a request is late; undefined as long as that is not known. */
  get afterMs(): number | undefined {
    if ('ms' in this.#after) return this.#after.ms
    // Sorting is not done for each answer.
    if (this.#place >= fewest && this.#place >= 1.05 * this.#takenAt) {
      this.#takenAt = this.#place
      this.#quantileMs = margin * percentileOf(Float64Array.from(this.#latencies).sort(), 100 * this.#after.quantile)
    }
    return this.#quantileMs
  }

  /** Whether copies bring enough for a further one. */
  get mayHedge(): boolean {
    return this.#hedged - this.#won < idle.count + idle.share * this.#sent
  }
}
