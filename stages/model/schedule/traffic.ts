import type { Clock } from '../../../base/clock.js'
import type { RateLimits } from '../define-backend.js'
import type { ConcurrencyBounds } from './concurrency-controller.js'
import { ConcurrencyController } from './concurrency-controller.js'
import type { SearchState } from './limit-search.js'
import { Pacer } from './pacer.js'
import type { Seen } from './refused-rate.js'
import { Sends, type Send } from './sends.js'
import { Share } from './share.js'

/** A server that refused so often and for so long without an answer between is taken to be closed. */
const closedRefusals = 6
const closedMs = 90_000
/** So far back from a refusal is looked for what was borne before it, unless a pause has ended since. */
const lookBackMs = 2_000
/** So long what was borne says how much is borne. */
const memoryMs = 30_000
/** A pace that is kept so much slower is another one. */
const slower = 0.97
/** Of so few slots, one too few costs more than another refusal. */
const few = 12
/** Of fewer, nothing is read. */
const leastSeen = 4
/** More than so many with more slots than before show that it is not for these that one is refused. */
const mostBeyond = 8
/** So few in hand may be what a server admits at one moment. */
const lone = 3
const longDroughtMs = 3_000
/** In so long the slots are filled at the start, and in no longer than that after a pause. */
const easeMs = 100
const longestEaseMs = 500

/** What came of an attempt, as far as the next ones depend on it. */
export type SendResult =
  | { readonly type: 'answered'; readonly tokens?: number | undefined }
  | {
      readonly type: 'refused'
      readonly retryAfter?: number | undefined
      /** Refused again and again while others are answered: it says nothing of the others. */
      readonly isOdd?: boolean
    }
  | { readonly type: 'server' | 'timeout' | 'other' }

/** What is remembered of a server between processes. */
export interface TrafficState {
  readonly concurrency?: SearchState
  readonly pace?: SearchState
}

export interface TrafficOptions {
  /** A number: so many, always. */
  readonly concurrency: number | ConcurrencyBounds
  readonly clock: Pick<Clock, 'now'>
  readonly from?: TrafficState
}

/**
 * All that this process sends to one model of one account: how much of it, and how fast. Whoever sends to it takes a
 * {@link Share}.
 */
export class Traffic {
  readonly #clock: Pick<Clock, 'now'>
  readonly #fixed: number | undefined
  readonly #controller: ConcurrencyController | undefined
  readonly #pacer: Pacer
  readonly #sends = new Sends()
  #inFlight = 0
  /** Of those, not answered yet. */
  #open = 0
  /** Refused requests are one episode until those sent before its end are back. */
  #episode: { readonly since: number } | undefined
  /** What was sent before has been judged. */
  #judgedUntil = -Infinity
  #resumedAt: number | undefined
  #throttled = 0
  /** Requests a second before a pause. */
  #flow: number | undefined
  /** Since the last pause after which something was accepted. */
  #cycle = { sent: 0, refused: 0 }
  #admittedAt: number | undefined
  /** Of the refusal before: as many again at a slower pace are what the server has slots for. */
  #lastRefused: { readonly inHand: number; readonly peak: number } | undefined
  /** A refusal was for the slots before, so that a burst may be refused for them, too. */
  #areSlotsKnown = false
  /** Since when everything is refused, and what was borne before that from when on. */
  #drought: { readonly since: number; readonly began: number; readonly borne: number } | undefined
  /** Refusals since anything was answered, and when the first was. */
  #refusals = { count: 0, since: 0 }
  readonly #shares = new Set<Share>()

  constructor({ concurrency, clock, from }: TrafficOptions) {
    this.#clock = clock
    this.#fixed = typeof concurrency === 'number' ? concurrency : undefined
    this.#controller =
      typeof concurrency === 'number' ? undefined : new ConcurrencyController(concurrency, from?.concurrency)
    this.#pacer = new Pacer(clock.now(), from?.pace)
    if (this.#controller !== undefined) this.#pacer.easeIn(clock.now() + easeMs, easeMs / this.#controller.limit)
  }

  /** Requests that may be under way at once, now. */
  get limit(): number {
    return this.#pacer.isProbing ? 1 : (this.#fixed ?? this.#controller?.limit ?? 1)
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Requests that were refused for a limit, ever. */
  get throttled(): number {
    return this.#throttled
  }

  get rate(): number | undefined {
    return this.#pacer.rate
  }

  get state(): TrafficState {
    const pace = this.#pacer.state
    const concurrency = this.#controller?.state
    return { ...(concurrency === undefined ? {} : { concurrency }), ...(pace === undefined ? {} : { pace }) }
  }

  /** When something came back last that was not refused for a limit, on the clock: answered, or failed in another way. */
  get admittedAt(): number | undefined {
    return this.#admittedAt
  }

  /** Whether the server refuses everything, and has for so long that no window of a minute explains it. */
  get isClosed(): boolean {
    const { count, since } = this.#refusals
    return count >= closedRefusals && this.#clock.now() - since >= closedMs
  }

  /** Milliseconds for which nothing is sent because the server asked for that. */
  get pauseMs(): number {
    return Math.max(0, this.#pacer.pausedUntil - this.#clock.now())
  }

  /** @param onChange called when there may be room that was not there */
  join(onChange: () => void): Share {
    const share = new Share(this, { onChange, leave: () => this.#shares.delete(share) })
    this.#shares.add(share)
    return share
  }

  /** Room for a share's next request: milliseconds until it may be sent, Infinity when another one has ended. */
  waitFor(share: Share): number {
    const others = [...this.#shares].filter(other => other !== share && other.isWaiting)
    const isGreedy = others.length > 0 && share.inFlight >= Math.ceil(this.limit / (others.length + 1))
    return isGreedy ? Infinity : this.waitMs
  }

  /** Milliseconds until the next request may be sent: 0 now, Infinity when another one has ended. */
  get waitMs(): number {
    const now = this.#clock.now()
    this.#judge(now)
    if (this.#inFlight >= this.limit) {
      this.#controller?.heldBack('slots')
      return Infinity
    }
    const wait = this.#pacer.opensAt(now) - now
    if (wait > 0) {
      this.#pacer.heldBack(now)
      this.#controller?.heldBack('pace')
    }
    return Math.max(0, wait)
  }

  /** Milliseconds until whoever holds a slot may send its next request. */
  get paceMs(): number {
    const now = this.#clock.now()
    this.#judge(now)
    return Math.max(0, this.#pacer.opensAt(now) - now)
  }

  enter(): Send {
    this.#inFlight += 1
    return this.again()
  }

  /** A further request in a slot that is held, after the one before has come to its end. */
  again(): Send {
    const now = this.#clock.now()
    // Whoever quits leaves some without an end.
    this.#open = Math.min(this.#open + 1, this.#inFlight)
    const send: Send = { at: now, level: this.#open, fate: 'open' }
    this.#resumedAt ??= now
    this.#cycle.sent += 1
    this.#sends.add(send)
    this.#pacer.sent(now)
    return send
  }

  /** What the server said of its limits with the answer to a request. */
  learn(send: Send, limits: RateLimits): void {
    this.#pacer.learn(this.#clock.now(), limits, this.#sends.borne(send.at, Infinity))
  }

  /** A request came to its end. It holds its slot until {@link leave}: until its answer is durable. */
  end(send: Send, result: SendResult): void {
    const now = this.#clock.now()
    this.#open = Math.max(0, this.#open - 1)
    send.end = now
    this.#pacer.ended(now, result.type === 'refused')
    if (result.type === 'refused') {
      send.fate = 'refused'
      this.#refused(now, send, result)
      return
    }
    send.fate = result.type === 'answered' ? 'answered' : 'failed'
    if (result.type !== 'timeout') this.#admittedAt = now
    if (result.type === 'answered') {
      this.#endDrought(now)
      this.#refusals = { count: 0, since: 0 }
      this.#pacer.answered(now, send.at, result.tokens)
    }
    if (send.at > this.#judgedUntil) this.#controller?.ended(now, send, result.type)
  }

  leave(): void {
    this.#inFlight -= 1
    for (const share of this.#shares) share.onChange()
  }

  #refused(now: number, send: Send, { retryAfter, isOdd = false }: Extract<SendResult, { type: 'refused' }>): void {
    this.#throttled += 1
    this.#cycle.refused += 1
    if (this.#refusals.count === 0) this.#refusals.since = now
    this.#refusals.count += 1
    // A closed server teaches nothing more, and what is left is soon refused.
    const isNew = this.#episode === undefined && send.at > this.#judgedUntil && !isOdd && !this.isClosed
    if (isNew) this.#episode = { since: now }
    this.#pacer.pause(now, { retryAfter, isNew })
  }

  /** When an episode's pause is over, what is known of it by then says why it was. */
  #judge(now: number): void {
    const episode = this.#episode
    if (episode === undefined || now < this.#pacer.pausedUntil) return
    this.#episode = undefined
    const first = this.#sends.firstRefused(this.#judgedUntil)
    const isStart = this.#judgedUntil === -Infinity
    this.#judgedUntil = now
    const began = this.#resumedAt ?? now
    // What is refused before anything was accepted after a pause says that the pause was too short, and no more.
    if (first !== undefined && this.#sends.borne(began - 1, first.at) > 0) {
      const seen = this.#look(first, { began, isStart })
      this.#cut(first, seen, episode.since)
      this.#easeIn(now, seen)
      this.#drought = { since: episode.since, began, borne: this.#cycle.sent - this.#cycle.refused }
    }
    this.#cycle = { sent: 0, refused: 0 }
    this.#controller?.restart(now)
    this.#resumedAt = undefined
  }

  /** After a pause the slots are filled no faster than they were emptied before it: a burst may be refused for itself. */
  #easeIn(now: number, { isWhole, last, peak }: Seen): void {
    if (this.#controller === undefined) return
    if (isWhole || this.#flow === undefined) this.#flow = isWhole ? last : peak
    const gapMs = 1_000 / Math.max(1, this.#flow)
    this.#pacer.easeIn(now + Math.min(longestEaseMs, gapMs * this.#controller.limit), gapMs)
  }

  /** Where one refusal after another showed how long a window is, its average is what may be sent. */
  #endDrought(now: number): void {
    const drought = this.#drought
    this.#drought = undefined
    if (drought === undefined || !this.#pacer.isProbing) return
    const average = (1_000 * drought.borne) / (now - drought.began)
    if (now - drought.since >= longDroughtMs) this.#pacer.slowDown(now, average)
  }

  #cut(first: Send, seen: Seen, since: number): void {
    if (this.#pacer.isUnmindful(since)) return
    const slots = this.#slotsRefused(first, seen)
    if (this.#controller !== undefined && slots !== undefined) {
      this.#areSlotsKnown = true
      this.#controller.refuse(since, slots, this.#pacer.pausedUntil)
      this.#pacer.refuseSlots(since, seen)
    } else this.#pacer.refuse(since, seen)
    // What was learnt of slots was as much chance.
    if (this.#pacer.isUnmindful(this.#pacer.pausedUntil)) this.#controller?.forget()
  }

  /** What was borne before a refusal. */
  #look(first: Send, { began, isStart }: Pick<Seen, 'began' | 'isStart'>): Seen {
    const last = this.#sends.borne(first.at - 1_000, first.at)
    return {
      began,
      isStart,
      count: this.#cycle.sent - this.#cycle.refused,
      last,
      isWhole: first.at - began >= 1_000,
      peak: (1_000 * last) / Math.min(1_000, Math.max(10, first.at - began)),
      average: (1_000 * (this.#cycle.sent - this.#cycle.refused)) / Math.max(1, this.#pacer.pausedUntil - began),
    }
  }

  /** How many requests the server takes at once, where that is why it refused this one. */
  #slotsRefused(first: Send, { began, peak, isWhole }: Seen): number | undefined {
    const controller = this.#controller
    const level = this.#sends.levelOf(first)
    if (controller === undefined || level < 2) return undefined
    const inHand = this.#sends.inHand(first)
    const before = this.#lastRefused
    this.#lastRefused = { inHand, peak }
    const taken = this.#sends.mostTaken(Math.max(began, first.at - lookBackMs), first.at)
    const slots = Math.max(1, Math.min(level - 1, Math.max(inHand, taken, inHand < few ? inHand + 1 : 0)))
    const isAsHigh = before !== undefined && Math.abs(before.inHand - inHand) <= 1 + 0.03 * inHand
    if (isAsHigh && isWhole && peak <= slower * before.peak && !this.#sends.isBorneElsewhere(first, began, 3))
      return slots
    if (!this.#mayBeSlots(inHand) && this.#sends.isBurst(first)) return undefined
    // A pace that is new says more than how many were under way with it.
    if (level < controller.limit && this.#pacer.isTrying(first.at)) return undefined
    const above = this.#sends.answeredAt(level, { since: Math.max(began, first.at - lookBackMs), before: first })
    if (controller.isFirstBeyond(level) && above <= mostBeyond) return Math.max(controller.proven, slots)
    // Where all slots were filled since a pause, and soon after it, what was borne before says nothing: they may be fewer.
    const isRefilled = !isWhole && this.#sends.borne(began - 1, first.at) >= Math.max(leastSeen, inHand)
    return this.#sends.isBorneElsewhere(first, isRefilled ? began : first.at - memoryMs) ? undefined : slots
  }

  /** Whether a burst is refused rather for the slots: the first one of more than few, and where slots were found and held. */
  #mayBeSlots(inHand: number): boolean {
    const hasHeld = (this.#controller?.proven ?? 0) > 0
    return this.#areSlotsKnown ? hasHeld : inHand > lone && !hasHeld
  }
}
