/** One request on its way, or back. */
export interface Send {
  /** Milliseconds. */
  readonly at: number
  /** How many were under way with it, itself among them. */
  readonly level: number
  /** When its end was seen. */
  end?: number
  fate: 'open' | 'answered' | 'refused' | 'failed'
}

/** What came of an attempt, as far as the next ones depend on it. */
export type SendResult =
  | { readonly type: 'answered'; readonly tokens?: number | undefined }
  | {
      readonly type: 'refused'
      readonly retryAfter?: number | undefined
      /** What the server said. */
      readonly message?: string
      /** Refused again and again while others are answered: it says nothing of the others. */
      readonly isOdd?: boolean
    }
  /** Nobody was reached: the request was not sent. */
  | { readonly type: 'unreachable'; readonly message: string }
  /** Broken off from here: it says nothing of the server. */
  | { readonly type: 'broken-off' }
  | { readonly type: 'server' | 'timeout' | 'other' }

const most = 4_096
/** Those sent within so long may come in any order. */
const atOnceMs = 10
/** At most this many requests are looked at to count those in hand. */
const nearest = 1_024
/** What comes in so short a time may be refused for that. */
const burstMs = 100
/** This many answers elsewhere are no coincidence. */
const leastBorne = 3
/** An answer may be on its way for this long while the server takes the next request. */
const onTheWayMs = 5

/** What was sent lately and what became of it: from this is read why something was refused. */
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
   * The first one refused since a time. Of those sent almost at once, which may overtake each other, the one with the most
   * under way: they came in any order, and what went before them all was taken.
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

  /** The most that may have been under way when it came: those sent almost at once may have come before it. */
  levelOf(sent: Send): number {
    let { level } = sent
    for (let index = this.#sends.indexOf(sent) + 1; index < this.#sends.length; index += 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at > sent.at + atOnceMs) break
      level = Math.max(level, send.level)
    }
    return level
  }

  /** How many were answered that were sent from `since` on and before this one with as many or more under way. */
  answeredAt(level: number, { since, before }: { readonly since: number; readonly before: Send }): number {
    let answered = 0
    for (let index = this.#sends.indexOf(before) - 1; index >= 0; index -= 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at < since) break
      if (send.fate === 'answered' && send.level >= level) answered += 1
    }
    return answered
  }

  /** Whether others were answered, since then, although as many were in hand as when this one was refused. */
  isBorneElsewhere(refused: Send, since: number): boolean {
    const index = this.#sends.indexOf(refused)
    const inHand = this.#inHand(index)
    if (inHand === 0) return true
    let answered = 0
    let asHigh = 0
    for (let other = index - 1; other >= Math.max(0, index - nearest); other -= 1) {
      const send = this.#sends[other]
      if (send === undefined || send.at < since) break
      if (send.fate !== 'answered') continue
      answered += 1
      if (this.#inHand(other) >= inHand) asHigh += 1
    }
    return asHigh >= Math.max(leastBorne, 0.02 * answered)
  }

  /**
   * As many at once were taken by the server, several times, in a time. What is seen of ends is late, now more and now less,
   * so that the most that was in hand says more of a limit than what was in hand when something was refused.
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

  /** How many requests the server had in hand when this one came. */
  inHand(send: Send): number {
    return this.#inHand(this.#sends.indexOf(send))
  }

  /** Those answered a moment later were done already. */
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

  /** How many may have come before it or after it: those sent almost at once and since of which nothing is known yet. */
  openAround({ at: around }: Send): number {
    let open = 0
    for (let index = this.#sends.length - 1; index >= 0; index -= 1) {
      const send = this.#sends[index]
      if (send === undefined || send.at < around - atOnceMs) break
      if (send.fate === 'open') open += 1
    }
    return open
  }

  /** Whether most of what was sent in the second before it came just before it. */
  isBurst({ at }: Send): boolean {
    return this.borne(at - burstMs, at) > 0.5 * this.borne(at - 1_000, at)
  }

  /** How many were sent in a time, its end included, and not refused. */
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
