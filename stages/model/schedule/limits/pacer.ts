import { guessRules, paceRules, paceSearch } from './constants.js'
import type { RateLimits } from '../../model.js'
import { Allowance } from './allowance.js'
import { OverloadDetector } from './overload.js'
import type { LimitShare } from './limit-share.js'
import { LimitSearch, type SearchState } from './limit-search.js'
import { firstGuess, keptSoon, exceededAt, type AcceptedRequests } from './exceeded-rate.js'

/**
 * Decides when the next request may be sent. Times are milliseconds of any monotonic clock. Rates are per second.
 *
 * It follows the server's own numbers if these are stated. Otherwise it searches for a rate once the server rejects
 * requests because of their rate. After a rate limit, nothing is sent for as long as the server asks.
 */
export class Pacer {
  readonly #requests = new Allowance()
  readonly #tokens = new Allowance()
  #tokensEach: number = paceRules.tokens
  #search: LimitSearch | undefined
  #nextAt = 0
  #ease = { until: 0, gapMs: 0 }
  #pausedUntil = 0
  /** The number of consecutive rate limits without a stated wait and without an answer in between. */
  #silent = 0
  #round = { startedAt: 0, isBinding: false, sent: 0 }
  readonly #overload = new OverloadDetector()
  /** The average rate accepted until the previous rate limit. 0 if it is unknown. */
  #averageBefore = 0
  /** The number of consecutive rate limits at a rate that had held. */
  #retreat = 0
  #settledSince = 0
  /** The search before the last rate limit and those just before it. */
  #earlier: { readonly at: number; readonly search: LimitSearch | undefined } | undefined
  /** The rates since the last rate limit. */
  #history: { readonly from: number; readonly rate: number }[] = []

  readonly #share: LimitShare | undefined

  /** @param share this process's part of a shared limit. While other processes share the limit, it replaces the search */
  constructor(now: number, from?: SearchState, share?: LimitShare) {
    this.#share = share
    if (from === undefined) return
    this.#search = search(from)
    this.#search.retreat(now, from.value)
  }

  /** The rate in requests per second. Undefined before a limit was met. */
  get rate(): number | undefined {
    return this.#shared === undefined ? this.#search?.value : this.#shared.rate
  }

  get #shared(): LimitShare | undefined {
    return this.#share?.isShared === true ? this.#share : undefined
  }

  /** The rate that this process's own search found. */
  get learned(): number | undefined {
    return this.#search?.value
  }

  get state(): SearchState | undefined {
    return this.#search?.state
  }

  get pausedUntil(): number {
    return this.#pausedUntil
  }

  /** True if one request at a time tests whether the server accepts requests again. */
  get isProbing(): boolean {
    return this.#silent > 1
  }

  /** Spaces requests until a time, because a server may reject a burst that it would accept spread out. */
  easeIn(until: number, gapMs: number): void {
    this.#ease = { until, gapMs }
  }

  /** Notes the end of a request that was sent at `sentAt`. */
  ended(now: number, sentAt: number, isRateLimited: boolean): void {
    if (isRateLimited) this.#share?.exceeded(sentAt)
    this.#overload.ended(now, isRateLimited)
  }

  /** Returns when the next request may be sent. It is not in the future if that is now. */
  opensAt(now: number): number {
    if (this.#share?.isAwaited === true) return Infinity
    const isPaced = (this.#search !== undefined && this.#shared === undefined) || now < this.#ease.until
    const paced = Math.max(isPaced ? this.#nextAt : now, this.#shared?.opensAt(now) ?? now)
    return Math.max(this.#pausedUntil, paced, this.#requests.opensAt(now), this.#tokens.opensAt(now))
  }

  /** Notes that a request waits. It counts if the rate, and not a pause, holds it back. */
  heldBack(now: number): void {
    if (now >= this.#pausedUntil && now < this.#nextAt) this.#round.isBinding = true
    if (now >= this.#pausedUntil && now < (this.#shared?.opensAt(now) ?? now)) this.#shared?.heldBack()
  }

  sent(now: number): void {
    this.#round.sent += 1
    // The others take from the same allowance meanwhile.
    const share = this.#shared?.members ?? 1
    this.#requests.take(now, share)
    this.#tokens.take(now, share * this.#tokensEach)
    this.#share?.sent(now)
    const gap = this.#search === undefined || this.#shared !== undefined ? 0 : 1_000 / this.#search.value
    if (now < this.#ease.until) this.#nextAt = Math.max(this.#nextAt, now) + Math.max(gap, this.#ease.gapMs)
    else if (gap > 0) this.#nextAt = Math.max(this.#nextAt, now - paceRules.catchUpMs) + gap
  }

  /** Notes that a request sent at `sentAt` was answered, so that its rate was accepted. */
  answered(now: number, sentAt: number, tokens?: number): void {
    this.#silent = 0
    this.#share?.accepted()
    if (tokens !== undefined) this.#tokensEach += 0.1 * (tokens - this.#tokensEach)
    if (this.#shared !== undefined) return
    const { startedAt, isBinding, sent } = this.#round
    // The first steps after a rate limit last longer, to find out whether the rate holds.
    const lasts = this.#history.length < 2 ? paceRules.provenMs : paceRules.roundMs
    // Rate limits return quickly, even if answers take long.
    const isOver = sentAt >= startedAt + lasts || now >= startedAt + lasts + paceRules.arrivalMs
    if (this.#search === undefined || !isOver) return
    this.#round = { startedAt: now, isBinding: false, sent: 0 }
    this.#retreat = 0
    if (!isBinding || sent < (paceRules.usedShare * this.#search.value * (now - startedAt)) / 1_000) return
    this.#search.grow(now)
    this.#history.push({ from: now, rate: this.#search.value })
  }

  /** Learns the server's stated limits. @param takenSince the number of requests sent after the one that it answers */
  learn(now: number, { requests, tokens }: RateLimits, takenSince: number): void {
    if (requests !== undefined) this.#requests.learn(now, requests, takenSince)
    if (tokens !== undefined) this.#tokens.learn(now, tokens, takenSince * this.#tokensEach)
  }

  /** Stops sending after a rate limit. @param retryAfter the milliseconds that the server asks to wait */
  pause(
    now: number,
    { retryAfter, isNew }: { readonly retryAfter: number | undefined; readonly isNew: boolean },
  ): void {
    if (this.isUnmindful(now)) return
    if (isNew && retryAfter === undefined) this.#silent += 1
    const own = Math.min(paceRules.longestPauseMs, paceRules.pauseMs * 2 ** Math.max(0, this.#silent - 1))
    const wait = retryAfter ?? (isNew ? own : 0)
    this.#pausedUntil = Math.max(this.#pausedUntil, now + wait)
    this.#share?.pause(this.#pausedUntil)
  }

  /** Lowers the rate after a rate limit because of the rate. @param now the time of the rate limit; the pause may be over */
  cut(now: number, traffic: AcceptedRequests): void {
    if (this.#shared !== undefined) return
    const until = Math.max(now, this.#pausedUntil)
    if (this.#earlier === undefined || this.#earlier.at < now - paceRules.takeBackMs)
      this.#earlier = { at: now, search: this.#search?.copy() }
    const rate = this.#search?.value ?? Math.max(1, traffic.peak)
    if (this.#search === undefined) this.#begin(now, until, traffic)
    else this.#goBack(this.#search, { now, until, seen: traffic })
    this.#round = { startedAt: until, isBinding: false, sent: 0 }
    this.#settledSince = until
    this.#nextAt = until
    this.#note(now, rate)
  }

  /** Takes back a lower rate, because the rate limit was caused by the number of requests in flight. */
  restoreRate(now: number, traffic: AcceptedRequests): void {
    if (this.#shared !== undefined) return
    this.#takeBack(now)
    this.#averageBefore = this.#averageOf(Math.max(now, this.#pausedUntil), traffic)
    this.#note(now, this.#search?.value ?? traffic.peak)
  }

  #note(now: number, rate: number): void {
    const until = Math.max(now, this.#pausedUntil)
    if (this.#overload.noteExceeded(now, until, { rate, average: this.#averageBefore })) this.#search = undefined
  }

  #averageOf(until: number, { began, average }: AcceptedRequests): number {
    return until - began >= paceRules.leastSpanMs ? average : 0
  }

  /** True if rate limits come at any rate, so that sending more slowly does not help. Each then leads only to a wait. */
  isUnmindful(now: number): boolean {
    return this.#overload.isOn(now)
  }

  #begin(now: number, until: number, traffic: AcceptedRequests): void {
    const { at, keep, trust } = firstGuess(now, traffic)
    const limitSearch = search({ value: Math.max(1, traffic.peak) })
    limitSearch.cut(now, { at, keep: this.#whole(until - now, at, traffic) ?? keep, until, trust })
    this.#search = limitSearch
    this.#averageBefore = 0
    this.#history = [{ from: until, rate: limitSearch.value }]
  }

  #goBack(
    search: LimitSearch,
    { now, until, seen: traffic }: { readonly now: number; readonly until: number; readonly seen: AcceptedRequests },
  ): void {
    const keep = this.#whole(until - now, search.value, traffic) ?? this.#keep(search.value, { now, seen: traffic })
    search.cut(now, { at: exceededAt(now, search.value, traffic), keep, until })
    this.#averageBefore = this.#averageOf(until, traffic)
    this.#history = [{ from: until, rate: search.value }]
  }

  /** Returns the average rate if a long pause ended a long window, which was then used up. */
  #whole(pausedMs: number, rate: number, { average }: AcceptedRequests): number | undefined {
    return pausedMs >= paceRules.longPauseMs && average > 0 ? Math.min(rate, average) : undefined
  }

  /** Lowers the rate to the average that was accepted over a long window. */
  slowDown(now: number, rate: number): void {
    if (this.#shared !== undefined) return
    this.#search ??= search({ value: rate })
    if (rate < this.#search.value) this.#search.retreat(now, rate, paceRules.longWindowRestMs)
    this.#history = [{ from: now, rate: this.#search.value }]
  }

  /** Tells whether the rate at that time had not yet held for long. */
  isTrying(now: number): boolean {
    const last = this.#history.at(-1)
    return last !== undefined && this.#history.length > 1 && last.from > now - paceRules.provenMs
  }

  /** Restores the search from before a recent rate limit, because the rate was not its cause. */
  #takeBack(now: number): void {
    if (this.#earlier === undefined || this.#earlier.at < now - paceRules.takeBackMs) return
    this.#search = this.#earlier.search
    this.#earlier = undefined
  }

  #keep(rate: number, { now, seen: traffic }: { readonly now: number; readonly seen: AcceptedRequests }): number {
    const before = this.#history.at(-2)?.rate ?? 0
    const proven = this.#history.findLast(({ from }) => from <= now - paceRules.provenMs)?.rate
    const isCoarse = before > 0 && rate > 1.15 * before
    const likely = isCoarse ? before : 0
    const borne = proven === undefined ? undefined : Math.max(proven, likely)
    const least = Math.min(traffic.average, rate) * guessRules.margin
    if (borne !== undefined && borne < 0.999 * rate) return Math.max(least, Math.min(borne, guessRules.margin * rate))
    if (now - this.#settledSince < paceRules.provenMs + 1_000) return keptSoon(rate, traffic)
    const share = paceRules.retreats[Math.min(this.#retreat, paceRules.retreats.length - 1)] ?? 0.5
    this.#retreat += 1
    return Math.max(least, share * rate)
  }
}

const search = (from: SearchState): LimitSearch => new LimitSearch(paceSearch, from, false)
