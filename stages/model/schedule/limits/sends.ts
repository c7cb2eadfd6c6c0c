/** A request that was sent, and its result. */
export interface Send {
  /** The time when it was sent, in milliseconds. */
  readonly at: number
  /** The number of requests in flight, including this one. */
  readonly level: number
  /** The time when its end was noticed. */
  end?: number
  fate: 'open' | 'answered' | 'refused' | 'failed'
}

/** The result of an attempt, as far as later attempts depend on it. */
export type SendResult =
  | { readonly type: 'answered'; readonly tokens?: number | undefined }
  | {
      readonly type: 'refused'
      readonly retryAfter?: number | undefined
      /** The server's message. */
      readonly message?: string
      /** True if it is refused repeatedly while others are answered. It is then no evidence about the others. */
      readonly isOdd?: boolean
    }
  /** The server was unreachable: the request was not sent. */
  | { readonly type: 'unreachable'; readonly message: string }
  /** This process cancelled it, which is no evidence about the server. */
  | { readonly type: 'broken-off' }
  | { readonly type: 'server' | 'timeout' | 'other' }

const most = 4_096
/** Requests sent within this time may arrive in any order. */
const atOnceMs = 10
/** The maximum number of requests that are examined to count those in progress. */
const nearest = 1_024
/** Requests within such a short time may be refused as a burst. */
const burstMs = 100
/** This many answers elsewhere are not coincidence. */
const leastBorne = 3
/** An answer may be in transit for this long while the server accepts the next request. */
const onTheWayMs = 5

/** The recent requests and their results, which show why a request was refused. */
export class Sends {
  #sends: Send[] = []

  get all(): readonly Send[] {
    return this.#sends
  }

  add(send: Send): void {
    this.#sends.push(send)
    if (this.#sends.length >= 2 * most) this.#sends = this.#sends.slice(-most)
  }

  /**
   * Finds the first refused request since a time. Requests that were sent almost at once may have overtaken each other.
   * Among these, it returns the one with the most in flight, since those before it were accepted.
   */
  firstRefused(since: number): Send | undefined {
    const first = this.#sends.find(({ at, fate }) => at >= since && fate === 'refused')
    if (first === undefined) return undefined
    let found = first
    for (let index = this.#sends.indexOf(first) + 1; index < this.#sends.length; index += 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at > first.at + atOnceMs) break
      if (send.fate === 'refused' && send.level > found.level) found = send
    }
    return found
  }

  /** Returns the highest possible number in flight when it arrived. Requests sent almost at once may have arrived before it. */
  levelOf(sent: Send): number {
    let { level } = sent
    for (let index = this.#sends.indexOf(sent) + 1; index < this.#sends.length; index += 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at > sent.at + atOnceMs) break
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

  /** Tells whether others were answered since then, with at least as many in progress as when this one was refused. */
  isBorneElsewhere(refused: Send, since: number): boolean {
    const index = this.#sends.indexOf(refused)
    const inHand = this.#inHand(index)
    if (inHand === 0) return true
    let asHigh = 0
    for (let other = index - 1; other >= Math.max(0, index - nearest); other -= 1) {
      const send = this.#sends[other]
      if (send === undefined || send.at < since) break
      if (send.fate === 'answered' && this.#inHand(other) >= inHand) asHigh += 1
      if (asHigh >= leastBorne) return true
    }
    return false
  }

  /**
   * Returns a number of requests in flight that the server accepted several times in a period. Ends are noticed late,
   * so the highest number is better evidence than the number at a refusal.
   */
  mostTaken(from: number, to: number): number {
    const levels: number[] = []
    for (let index = this.#sends.length - 1; index >= 0; index -= 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at < from) break
      if (send.at <= to && send.fate !== 'refused') levels.push(send.level)
      if (levels.length >= nearest) break
    }
    const [, , , , enough = 0] = levels.sort((a, b) => b - a)
    return enough
  }

  /** Counts the requests that the server was processing when this one arrived. */
  inHand(send: Send): number {
    return this.#inHand(this.#sends.indexOf(send))
  }

  /** Requests whose answer arrived a moment later count as finished. */
  #inHand(index: number): number {
    const send = this.#sends[index]
    if (send === undefined) return 0
    let busy = 0
    for (let other = Math.max(0, index - nearest); other < index; other += 1) {
      const { fate, at, end } = this.#sends[other] ?? send
      if (fate === 'refused') continue
      if (end === undefined || end - Math.min(onTheWayMs, (end - at) / 4) > send.at) busy += 1
    }
    return busy
  }

  /** Counts requests without a result that were sent almost at once or later, so that they may have arrived before it. */
  openAround({ at: around }: Send): number {
    let open = 0
    for (let index = this.#sends.length - 1; index >= 0; index -= 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at < around - atOnceMs) break
      if (send.fate === 'open') open += 1
    }
    return open
  }

  /** Tells whether most requests of the second before it were sent just before it. */
  isBurst({ at }: Send): boolean {
    return this.borne(at - burstMs, at) > 0.5 * this.borne(at - 1_000, at)
  }

  /** Counts the requests that were sent in a period, including its end, and not refused. */
  borne(from: number, to: number): number {
    let borne = 0
    for (let index = this.#sends.length - 1; index >= 0; index -= 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at <= from) break
      if (send.at <= to && send.fate !== 'refused') borne += 1
    }
    return borne
  }
}
