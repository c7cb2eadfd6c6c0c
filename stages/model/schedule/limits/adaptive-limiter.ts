import { limiterRules } from './constants.js'
import type { Clock } from '../../../../base/time/clock.js'
import type { RateLimits } from '../../model.js'
import { ConcurrencyController } from './concurrency-controller.js'
import { Outage } from './outage.js'
import { Pacer } from './pacer.js'
import { LimitCause } from './limit-cause.js'
import type { AcceptedRequests } from './exceeded-rate.js'
import { Sends, type Send, type SendResult } from './sends.js'
import {
  LimiterClient,
  type Limiter,
  type LimiterOptions,
  type LimiterState,
  type Standstill,
} from './limiter-client.js'

/**
 * Controls how many requests this process sends to one model of one account, and how fast. Each sender uses a {@link
 * LimiterClient}.
 */
export class AdaptiveLimiter implements Limiter {
  readonly #clock: Pick<Clock, 'now'>
  readonly #fixed: number | undefined
  readonly #controller: ConcurrencyController | undefined
  readonly #pacer: Pacer
  readonly #share: LimiterOptions['share']
  readonly #sends = new Sends()
  readonly #cause: LimitCause | undefined
  #inFlight = 0
  /** The number of requests in flight without an answer. */
  #open = 0
  /** The current episode: rate limits count as one until the requests sent before its end have ended. */
  #episode: { readonly since: number } | undefined
  #judgedUntil = -Infinity
  #resumedAt: number | undefined
  #sentAt = -Infinity
  #throttled = 0
  #flow: number | undefined
  /** Counts since the last pause after which a request was accepted. */
  #cycle = { sent: 0, rateLimited: 0 }
  #admittedAt: number | undefined
  /** Set while every request is rate limited: since when, and how many requests were accepted before, from `began` on. */
  #drought: { readonly since: number; readonly began: number; readonly borne: number } | undefined
  /** The rate limits since the last answer, and the time of the first one. */
  #rateLimits = { count: 0, since: 0 }
  readonly #clients = new Set<LimiterClient>()
  readonly #onUse: LimiterOptions['onUse']
  readonly #outage = new Outage()
  #pause: { readonly since: number; readonly message: string } | undefined

  constructor({ concurrency, clock, from, share, onUse }: LimiterOptions) {
    this.#onUse = onUse
    this.#share = share
    this.#clock = clock
    this.#fixed = typeof concurrency === 'number' ? concurrency : undefined
    this.#controller =
      typeof concurrency === 'number' ? undefined : new ConcurrencyController(concurrency, from?.concurrency)
    this.#cause = this.#controller && new LimitCause(this.#sends, this.#controller)
    this.#pacer = new Pacer(clock.now(), from?.pace, share)
    if (this.#controller !== undefined)
      this.#pacer.easeIn(clock.now() + limiterRules.easeMs, limiterRules.easeMs / this.#controller.limit)
  }

  get limit(): number {
    return this.#pacer.isProbing ? 1 : this.#slots
  }

  get #slots(): number {
    return this.#fixed ?? Math.max(1, Math.floor((this.#controller?.limit ?? 1) / (this.#share?.searching ?? 1)))
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get throttled(): number {
    return this.#throttled
  }

  get rate(): number | undefined {
    return this.#pacer.rate
  }

  get state(): LimiterState {
    const [pace, concurrency] = [this.#pacer.state, this.#controller?.state]
    return { ...(concurrency === undefined ? {} : { concurrency }), ...(pace === undefined ? {} : { pace }) }
  }

  get admittedAt(): number | undefined {
    return this.#admittedAt
  }

  get isClosed(): boolean {
    const { count, since } = this.#rateLimits
    return count >= limiterRules.closedAfter && this.#clock.now() - since >= limiterRules.closedMs
  }

  get pauseMs(): number {
    return Math.max(0, this.#pacer.pausedUntil - this.#clock.now())
  }

  get standstill(): Standstill | undefined {
    const now = this.#clock.now()
    const outage = this.#outage.present
    if (outage !== undefined)
      return { why: 'outage', message: outage.message, since: outage.since, until: Math.max(now, outage.nextAt) }
    if (this.#pause === undefined || this.pauseMs === 0) return undefined
    return { why: 'limit', ...this.#pause, until: this.#pacer.pausedUntil }
  }

  /** @param onChange called when a slot may have become free */
  join(onChange: () => void): LimiterClient {
    const quit = (): void => {
      if (this.#clients.delete(client) && this.#clients.size === 0) this.#onUse?.(false)
    }
    const client = new LimiterClient(this, { onChange, quit })
    this.#clients.add(client)
    if (this.#clients.size === 1) this.#onUse?.(true)
    return client
  }

  /** Tells the clients that a request may be sent sooner than they were told. */
  lookAgain(): void {
    for (const client of this.#clients) client.onChange()
  }

  waitFor(client: LimiterClient): number {
    const otherClients = [...this.#clients].filter(other => other !== client && other.isWaiting)
    const isGreedy = otherClients.length > 0 && client.inFlight >= Math.ceil(this.limit / (otherClients.length + 1))
    return isGreedy ? Infinity : this.waitMs
  }

  /** The milliseconds until the next request may be sent. 0: now. Infinity: when another one has ended. */
  get waitMs(): number {
    const now = this.#clock.now()
    this.#judge(now)
    const outageWait = this.#outage.waitMs(now)
    if (outageWait > 0) return outageWait
    const probeWait = this.#pacer.isProbing && this.#inFlight > 0 ? this.#sentAt + limiterRules.probeMs - now : 0
    if (probeWait > 0) return probeWait
    if (this.#inFlight >= this.#slots) {
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

  get paceMs(): number {
    const now = this.#clock.now()
    this.#judge(now)
    // The holder of a slot looks again by itself, so it need not be told when a probe has ended.
    return Math.max(Math.min(limiterRules.probeMs, this.#outage.waitMs(now)), this.#pacer.opensAt(now) - now, 0)
  }

  enter(): Send {
    this.#inFlight += 1
    return this.again()
  }

  again(): Send {
    const now = this.#clock.now()
    // A client that quits leaves requests without an end, so the count is limited.
    this.#open = Math.min(this.#open + 1, this.#inFlight)
    const send: Send = { at: now, level: this.#open, fate: 'open' }
    this.#resumedAt ??= now
    this.#sentAt = now
    this.#cycle.sent += 1
    this.#sends.add(send)
    this.#outage.sent(send)
    this.#pacer.sent(now)
    return send
  }

  reached(): void {
    if (!this.#outage.over()) return
    const now = this.#clock.now()
    // A server that has just started must not get all requests at once.
    this.#pacer.easeIn(now + limiterRules.longestEaseMs, limiterRules.longestEaseMs / this.#slots)
    this.lookAgain()
  }

  learn(send: Send, limits: RateLimits): void {
    this.#pacer.learn(this.#clock.now(), limits, this.#sends.borne(send.at, Infinity))
  }

  end(send: Send, result: SendResult): void {
    const now = this.#clock.now()
    this.#open = Math.max(0, this.#open - 1)
    send.end = now
    if (result.type === 'unreachable' || result.type === 'broken-off') {
      send.fate = 'failed'
      if (result.type === 'unreachable') this.#outage.met(now, send, result.message)
      else this.#outage.brokenOff(send)
      if (send.at > this.#judgedUntil) this.#controller?.ended(now, send, 'other')
      return
    }
    this.reached()
    this.#pacer.ended(now, send.at, result.type === 'rate_limited')
    if (result.type === 'rate_limited') {
      send.fate = 'rate_limited'
      this.#noteRateLimit(now, send, result)
      return
    }
    send.fate = result.type === 'answered' ? 'answered' : 'failed'
    if (result.type !== 'timeout') this.#admittedAt = now
    if (result.type === 'answered') {
      this.#endDrought(now)
      this.#rateLimits = { count: 0, since: 0 }
      this.#pacer.answered(now, send.at, result.tokens)
    }
    if (send.at > this.#judgedUntil) this.#controller?.ended(now, send, result.type)
  }

  leave(): void {
    this.#inFlight -= 1
    this.lookAgain()
  }

  #noteRateLimit(now: number, send: Send, result: Extract<SendResult, { type: 'rate_limited' }>): void {
    const { retryAfter, message = '', isOdd = false } = result
    this.#throttled += 1
    this.#cycle.rateLimited += 1
    if (this.#rateLimits.count === 0) this.#rateLimits.since = now
    this.#rateLimits.count += 1
    // A closed server teaches nothing more about its limits.
    const isNew = this.#episode === undefined && send.at > this.#judgedUntil && !isOdd && !this.isClosed
    if (isNew) this.#episode = { since: now }
    this.#pause = { since: this.pauseMs > 0 ? (this.#pause?.since ?? now) : now, message }
    this.#pacer.pause(now, { retryAfter, isNew })
  }

  /** Judges an episode when its pause is over, because enough is known by then to tell why requests were rate limited. */
  #judge(now: number): void {
    const episode = this.#episode
    if (episode === undefined || now < this.#pacer.pausedUntil) return
    this.#episode = undefined
    const first = this.#sends.firstRateLimited(this.#judgedUntil)
    const isStart = this.#judgedUntil === -Infinity
    this.#judgedUntil = now
    const began = this.#resumedAt ?? now
    // A rate limit before any request was accepted after a pause only shows that the pause was too short.
    if (first !== undefined && this.#sends.borne(began - 1, first.at) > 0) {
      const traffic = this.#look(first, { began, isStart })
      this.#cut(first, traffic, episode.since)
      this.#easeIn(now, traffic)
      this.#drought = { since: episode.since, began, borne: this.#cycle.sent - this.#cycle.rateLimited }
    }
    this.#cycle = { sent: 0, rateLimited: 0 }
    this.#controller?.restart(now)
    this.#resumedAt = undefined
  }

  /** Fills the slots after a pause no faster than before it, because a server may reject a burst as such. */
  #easeIn(now: number, { isWhole, last, peak }: AcceptedRequests): void {
    if (this.#controller === undefined) return
    if (isWhole || this.#flow === undefined) this.#flow = isWhole ? last : peak
    const gapMs = 1_000 / Math.max(1, this.#flow)
    this.#pacer.easeIn(now + Math.min(limiterRules.longestEaseMs, gapMs * this.#controller.limit), gapMs)
  }

  /** Lowers the rate if repeated rate limits showed the length of a window: its average rate may be sent. */
  #endDrought(now: number): void {
    const drought = this.#drought
    this.#drought = undefined
    if (drought === undefined || !this.#pacer.isProbing) return
    const average = (1_000 * drought.borne) / (now - drought.began)
    if (now - drought.since >= limiterRules.longDroughtMs) this.#pacer.slowDown(now, average)
  }

  #cut(first: Send, traffic: AcceptedRequests, since: number): void {
    if (this.#pacer.isUnmindful(since)) return
    const slots = this.#cause?.slotsOf(first, traffic, this.#pacer.isTrying(first.at))
    if (this.#controller !== undefined && slots !== undefined) {
      this.#controller.cut(since, slots, this.#pacer.pausedUntil)
      this.#pacer.restoreRate(since, traffic)
    } else this.#pacer.cut(since, traffic)
  }

  /** Measures which requests were accepted before a rate limit. */
  #look(first: Send, { began, isStart }: Pick<AcceptedRequests, 'began' | 'isStart'>): AcceptedRequests {
    const last = this.#sends.borne(first.at - 1_000, first.at)
    const count = this.#cycle.sent - this.#cycle.rateLimited
    return {
      began,
      isStart,
      count,
      surely: count - this.#sends.openAround(first),
      last,
      isWhole: first.at - began >= 1_000,
      peak: (1_000 * last) / Math.min(1_000, Math.max(10, first.at - began)),
      average: (1_000 * count) / Math.max(1, this.#pacer.pausedUntil - began),
    }
  }
}
