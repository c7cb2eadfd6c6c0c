import type { RateLimits } from '../../model.js'
import { Allowance } from './allowance.js'
import { OverloadDetector } from './overload.js'
import { LimitSearch, type SearchState } from './limit-search.js'
import { firstGuess, keptSoon, margin, refusedAt, type Seen } from './refused-rate.js'

/** Late by so much, the pace is caught up with; more is lost. Milliseconds. */
const catchUpMs = 25
/** How long nothing is sent after a refusal that does not say, and the longest such pause. */
const pauseMs = 250
const longestPauseMs = 5_000
/** Shares of a rate to keep when it is refused after it had held, by the number of refusals in a row. */
const retreats = [0.97, 0.9, 0.75, 0.5] as const
/** A rate that was borne for so long is not far from right. */
const settledMs = 8_000
const roundMs = 1_000
/** A second with this many times more requests than a refused one is no coincidence. */
const wider = 1.2
/** Refusals come back within this time. */
const refusalMs = 300
/** A rate of which less was sent was not used, whatever held requests back now and then. */
const usedShare = 0.9
/** A rate that was kept for so long has met a whole window of a server that counts by the second. */
const provenMs = 2_000
const longPauseMs = 3_000
/** An average of less says nothing: what a server lets through at once counts too much. */
const leastSpanMs = 250
const takeBackMs = 10_000
/** A window that is many seconds long is tried once in its time. */
const longWindowRestMs = 90_000

/**
 * When the next request may be sent. Milliseconds of any monotonic clock; rates are a second.
 *
 * The server's own figures are kept to where it tells them. Else a rate is looked for as soon as it refuses because of
 * how many come. After a refusal nothing is sent until the time that the server asks for.
 */
export class Pacer {
  readonly #requests = new Allowance()
  readonly #tokens = new Allowance()
  #tokensEach = 500
  #search: LimitSearch | undefined
  #nextAt = 0
  #ease = { until: 0, gapMs: 0 }
  #pausedUntil = 0
  /** Refusals in a row without an answer between them that did not say how long to wait. */
  #silent = 0
  #round = { startedAt: 0, isBinding: false, sent: 0 }
  readonly #overload = new OverloadDetector()
  /** Borne on average until the refusal before; 0 where that is not known. */
  #averageBefore = 0
  /** The fewest requests in a second of which one was refused. */
  #narrowest = Infinity
  /** Refusals at a rate that had held, in a row. */
  #retreat = 0
  #settledSince = 0
  /** As it was before the last refusal, and those just before it. */
  #earlier: { readonly at: number; readonly search: LimitSearch | undefined } | undefined
  /** The rates since the last refusal. */
  #history: { readonly from: number; readonly rate: number }[] = []

  constructor(now: number, from?: SearchState) {
    if (from === undefined) return
    this.#search = search(from)
    this.#search.retreat(now, from.value)
  }

  /** Requests a second, where a limit was met. */
  get rate(): number | undefined {
    return this.#search?.value
  }

  get state(): SearchState | undefined {
    return this.#search?.state
  }

  get pausedUntil(): number {
    return this.#pausedUntil
  }

  /** Whether one request at a time finds out whether the server admits any again. */
  get isProbing(): boolean {
    return this.#silent > 1
  }

  /** Until then requests come at this distance and not all at once: a burst may be refused by a server that bears as many. */
  easeIn(until: number, gapMs: number): void {
    this.#ease = { until, gapMs }
  }

  /** A request came to its end. */
  ended(now: number, isRefused: boolean): void {
    this.#overload.ended(now, isRefused)
  }

  /** When the next request may be sent; not in the future where it may now. */
  opensAt(now: number): number {
    const isPaced = this.#search !== undefined || now < this.#ease.until
    const paced = isPaced ? this.#nextAt : now
    return Math.max(this.#pausedUntil, paced, this.#requests.opensAt(now), this.#tokens.opensAt(now))
  }

  /** Whether it is the pace, and no pause, that holds back a request that could be sent. */
  heldBack(now: number): void {
    if (now >= this.#pausedUntil && now < this.#nextAt) this.#round.isBinding = true
  }

  sent(now: number): void {
    this.#round.sent += 1
    this.#requests.take(now, 1)
    this.#tokens.take(now, this.#tokensEach)
    const gap = this.#search === undefined ? 0 : 1_000 / this.#search.value
    if (now < this.#ease.until) this.#nextAt = Math.max(this.#nextAt, now) + Math.max(gap, this.#ease.gapMs)
    else if (gap > 0) this.#nextAt = Math.max(this.#nextAt, now - catchUpMs) + gap
  }

  /** A request that was sent at `sentAt` was answered, so its rate is borne. */
  answered(now: number, sentAt: number, tokens?: number): void {
    this.#silent = 0
    if (tokens !== undefined) this.#tokensEach += 0.1 * (tokens - this.#tokensEach)
    const { startedAt, isBinding, sent } = this.#round
    // The first step after a refusal, and those close to it, are worth knowing whether the rate before holds.
    const isCareful = this.#history.length < 2 || this.#search?.isNear === true
    const lasts = isCareful ? provenMs : roundMs
    // Refusals are quick, whatever answers take.
    const isOver = sentAt >= startedAt + lasts || now >= startedAt + lasts + refusalMs
    if (this.#search === undefined || !isOver) return
    this.#round = { startedAt: now, isBinding: false, sent: 0 }
    if (now - this.#settledSince >= settledMs) this.#retreat = 0
    if (!isBinding || sent < (usedShare * this.#search.value * (now - startedAt)) / 1_000) return
    this.#search.grow(now)
    this.#history.push({ from: now, rate: this.#search.value })
  }

  /** What the server said with an answer. @param takenSince requests sent after the one that it answers */
  learn(now: number, { requests, tokens }: RateLimits, takenSince: number): void {
    if (requests !== undefined) this.#requests.learn(now, requests, takenSince)
    if (tokens !== undefined) this.#tokens.learn(now, tokens, takenSince * this.#tokensEach)
  }

  /** Something was refused: nothing is sent for a while. @param retryAfter milliseconds that the server asks for */
  pause(
    now: number,
    { retryAfter, isNew }: { readonly retryAfter: number | undefined; readonly isNew: boolean },
  ): void {
    if (this.isUnmindful(now)) return
    if (isNew && retryAfter === undefined) this.#silent += 1
    const own = Math.min(longestPauseMs, pauseMs * 2 ** Math.max(0, this.#silent - 1))
    const wait = retryAfter ?? (isNew ? own : 0)
    this.#pausedUntil = Math.max(this.#pausedUntil, now + wait)
  }

  /** It was refused because too many came. @param now when it was refused; the pause may be over */
  refuse(now: number, seen: Seen): void {
    const until = Math.max(now, this.#pausedUntil)
    if (this.#earlier === undefined || this.#earlier.at < now - takeBackMs)
      this.#earlier = { at: now, search: this.#search?.copy() }
    this.#narrowest = Math.min(this.#narrowest, seen.last)
    const rate = this.#search?.value ?? Math.max(1, seen.peak)
    if (this.#search === undefined) this.#begin(now, until, seen)
    else this.#goBack(this.#search, { now, until, seen })
    this.#round = { startedAt: until, isBinding: false, sent: 0 }
    this.#settledSince = until
    this.#nextAt = until
    this.#note(now, rate)
  }

  /** It was refused because so many were under way. */
  refuseSlots(now: number, seen: Seen): void {
    this.#takeBack(now)
    this.#averageBefore = this.#averageOf(Math.max(now, this.#pausedUntil), seen)
    this.#note(now, this.#search?.value ?? seen.peak)
  }

  #note(now: number, rate: number): void {
    const until = Math.max(now, this.#pausedUntil)
    if (this.#overload.refused(now, until, { rate, average: this.#averageBefore })) this.#search = undefined
  }

  #averageOf(until: number, { began, average }: Seen): number {
    return until - began >= leastSpanMs ? average : 0
  }

  /** Whether refusals come at any rate, so that going slower does not help: each is waited for, and no more. */
  isUnmindful(now: number): boolean {
    return this.#overload.isOn(now)
  }

  #begin(now: number, until: number, seen: Seen): void {
    const { at, keep, trust } = firstGuess(now, seen)
    const found = search({ value: Math.max(1, seen.peak) })
    found.cut(now, { at, keep: this.#whole(until - now, at, seen) ?? keep, until, trust })
    this.#search = found
    this.#averageBefore = 0
    this.#history = [{ from: until, rate: found.value }]
  }

  #goBack(
    search: LimitSearch,
    { now, until, seen }: { readonly now: number; readonly until: number; readonly seen: Seen },
  ): void {
    // More was borne in a second than came in one that was refused: what is limited is what comes at once.
    const isSpread = (this.#history.at(-2)?.rate ?? 0) > wider * this.#narrowest
    const keep = this.#whole(until - now, search.value, seen) ?? this.#keep(search.value, { now, seen })
    search.cut(now, { at: refusedAt(now, search.value, seen, isSpread), keep, until })
    this.#averageBefore = this.#averageOf(until, seen)
    this.#history = [{ from: until, rate: search.value }]
  }

  /** A pause of many seconds ends a long window, of which all was used. */
  #whole(pausedMs: number, rate: number, { average }: Seen): number | undefined {
    return pausedMs >= longPauseMs && average > 0 ? Math.min(rate, average) : undefined
  }

  /** No more than this rate was borne on average over a long window. */
  slowDown(now: number, rate: number): void {
    this.#search ??= search({ value: rate })
    if (rate < this.#search.value) this.#search.retreat(now, rate, longWindowRestMs)
    this.#history = [{ from: now, rate: this.#search.value }]
  }

  /** Whether the rate at that time had not yet proved to hold. */
  isTrying(now: number): boolean {
    const last = this.#history.at(-1)
    return last !== undefined && this.#history.length > 1 && last.from > now - provenMs
  }

  /** It was not the rate after all: the refusal of late is as if it had not been. */
  #takeBack(now: number): void {
    if (this.#earlier === undefined || this.#earlier.at < now - takeBackMs) return
    this.#search = this.#earlier.search
    this.#earlier = undefined
  }

  #keep(rate: number, { now, seen }: { readonly now: number; readonly seen: Seen }): number {
    const before = this.#history.at(-2)?.rate ?? 0
    const proven = this.#history.findLast(({ from }) => from <= now - provenMs)?.rate
    const isCoarse = before > 0 && rate > 1.15 * before
    const likely = isCoarse ? before : seen.isWhole ? Math.min(before, 0.965 * seen.last) : 0
    const borne = proven === undefined ? undefined : Math.max(proven, likely)
    const least = Math.min(seen.average, rate) * margin
    if (borne !== undefined && borne < 0.999 * rate) return Math.max(least, Math.min(borne, margin * rate))
    if (now - this.#settledSince < provenMs + 1_000) return keptSoon(rate, seen, this.#averageBefore)
    const share = retreats[Math.min(this.#retreat, retreats.length - 1)] ?? 0.5
    const isFarOff = this.#retreat > 0
    this.#retreat += 1
    const measured = isFarOff ? Math.max(0.5 * rate, 0.97 * seen.last) : rate
    return Math.max(least, Math.min(share * rate, measured))
  }
}

const search = (from: SearchState): LimitSearch =>
  new LimitSearch(
    {
      min: 0.05,
      max: 100_000,
      firstStep: 0.03,
      leastStep: 0,
      near: 0.98,
      tolerance: 0.02,
      stride: 0.25,
      farStride: 1,
      longestStep: 0.3,
      restMs: 12_000,
      longestRestMs: 60_000,
      leap: 0.5,
    },
    from,
    false,
  )
