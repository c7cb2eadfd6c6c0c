import { sendRules } from './constants.js'

/** A request that was sent, and its result. */
export interface Send {
  /** The time when it was sent, in milliseconds. */
  readonly at: number
  /** The number of requests in flight, including this one. */
  readonly level: number
  /** The time when its end was noticed. */
  end?: number
  fate: 'open' | 'answered' | 'rate_limited' | 'failed'
}

/** The result of an attempt, as far as later attempts depend on it. */
export type SendResult =
  | { readonly type: 'answered'; readonly tokens?: number | undefined }
  | {
      readonly type: 'rate_limited'
      readonly retryAfter?: number | undefined
      /** The server's message. */
      readonly message?: string
      /** True if it is rate limited repeatedly while others are answered. It is then no evidence about the others. */
      readonly isOdd?: boolean
    }
  /** The server was unreachable: the request was not sent. */
  | { readonly type: 'unreachable'; readonly message: string }
  /** This process cancelled it, which is no evidence about the server. */
  | { readonly type: 'broken-off' }
  | { readonly type: 'server' | 'timeout' | 'other' }

/** The recent requests and their results, which show why a request was rate limited. */
export class Sends {
  #sends: Send[] = []

  get all(): readonly Send[] {
    return this.#sends
  }

  add(send: Send): void {
    this.#sends.push(send)
    if (this.#sends.length >= 2 * sendRules.most) this.#sends = this.#sends.slice(-sendRules.most)
  }

  /**
   * Finds the first rate-limited request since a time. Requests that were sent almost at once may have overtaken each other.
   * Among these, it returns the one with the sendRules.most in flight, since those before it were accepted.
   */
  firstRateLimited(since: number): Send | undefined {
    const first = this.#sends.find(({ at, fate }) => at >= since && fate === 'rate_limited')
    if (first === undefined) return undefined
    let highestSend = first
    for (let index = this.#sends.indexOf(first) + 1; index < this.#sends.length; index += 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at > first.at + sendRules.atOnceMs) break
      if (send.fate === 'rate_limited' && send.level > highestSend.level) highestSend = send
    }
    return highestSend
  }

  /** Returns the highest possible number in flight when it arrived. Requests sent almost at once may have arrived before it. */
  levelOf(sent: Send): number {
    let { level } = sent
    for (let index = this.#sends.indexOf(sent) + 1; index < this.#sends.length; index += 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at > sent.at + sendRules.atOnceMs) break
      level = Math.max(level, send.level)
    }
    return level
  }

  /** Counts answered requests with at least `level` in flight that were sent from `since` on and before this one. */
  answeredAt(level: number, { since, before }: { readonly since: number; readonly before: Send }): number {
    let answered = 0
    for (let index = this.#sends.indexOf(before) - 1; index >= 0; index -= 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at < since) break
      if (send.fate === 'answered' && send.level >= level) answered += 1
    }
    return answered
  }

  /** Tells whether others were answered since then, with at least as many in progress as when this one was rate limited. */
  isBorneElsewhere(limited: Send, since: number): boolean {
    const index = this.#sends.indexOf(limited)
    const inHand = this.#inHand(index)
    if (inHand === 0) return true
    let asHigh = 0
    for (let other = index - 1; other >= Math.max(0, index - sendRules.nearest); other -= 1) {
      const send = this.#sends[other]
      if (send === undefined || send.at < since) break
      if (send.fate === 'answered' && this.#inHand(other) >= inHand) asHigh += 1
      if (asHigh >= sendRules.leastBorne) return true
    }
    return false
  }

  /**
   * Returns a number of requests in flight that the server accepted several times in a period. Ends are noticed late,
   * so the highest number is better evidence than the number at a rate limit.
   */
  mostTaken(from: number, to: number): number {
    const levels: number[] = []
    for (let index = this.#sends.length - 1; index >= 0; index -= 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at < from) break
      if (send.at <= to && send.fate !== 'rate_limited') levels.push(send.level)
      if (levels.length >= sendRules.nearest) break
    }
    const [, , , , enough = 0] = levels.sort((a, b) => b - a)
    return enough
  }

  /** Counts the requests that the server was processing when this one arrived. */
  inHand(send: Send): number {
    return this.#inHand(this.#sends.indexOf(send))
  }

  /** Counts the requests in flight at a send. Requests answered a moment later count as finished. */
  #inHand(index: number): number {
    const send = this.#sends[index]
    if (send === undefined) return 0
    let busy = 0
    for (let other = Math.max(0, index - sendRules.nearest); other < index; other += 1) {
      const { fate, at, end } = this.#sends[other] ?? send
      if (fate === 'rate_limited') continue
      if (end === undefined || end - Math.min(sendRules.onTheWayMs, (end - at) / 4) > send.at) busy += 1
    }
    return busy
  }

  /** Counts requests without a result that were sent almost at once or later, so that they may have arrived before it. */
  openAround({ at: around }: Send): number {
    let open = 0
    for (let index = this.#sends.length - 1; index >= 0; index -= 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at < around - sendRules.atOnceMs) break
      if (send.fate === 'open') open += 1
    }
    return open
  }

  /** Tells whether sendRules.most requests of the second before it were sent just before it. */
  isBurst({ at }: Send): boolean {
    return this.borne(at - sendRules.burstMs, at) > 0.5 * this.borne(at - 1_000, at)
  }

  /** Counts the requests that were sent in a period, including its end, and not rate limited. */
  borne(from: number, to: number): number {
    let borne = 0
    for (let index = this.#sends.length - 1; index >= 0; index -= 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at <= from) break
      if (send.at <= to && send.fate !== 'rate_limited') borne += 1
    }
    return borne
  }
}
