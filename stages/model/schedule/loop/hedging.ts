import type { Clock } from '../../../../base/clock.js'
import type { Emit } from '../../../../cache/events.js'
import type { Lease } from '../../../../cache/store.js'
import type { Gate } from '../../budget/gate.js'
import { HedgeRace, type AskCopy } from './hedge-race.js'
import { HedgeRule, type HedgeAfter } from './hedge-rule.js'
import type { LimiterClient } from '../limits/limiter-client.js'

/** A request that is late. */
export interface Hedge {
  readonly contest: HedgeRace
  readonly lease: Lease
}

/** The requests of a loop that are under way and may get a second copy. */
export class Hedging {
  readonly #rule: HedgeRule
  readonly #clock: Clock
  readonly #emit: Emit
  /** In the order of sending. */
  readonly #alone = new Map<HedgeRace, Lease>()
  #hasToldOfSampling = false

  constructor(after: HedgeAfter, { clock, emit }: { readonly clock: Clock; readonly emit: Emit }) {
    this.#rule = new HedgeRule(after)
    this.#clock = clock
    this.#emit = emit
  }

  /**
   * Whether a second copy of a request says the same as the first. A conversation calls tools and keeps its rounds; and where
   * answers are drawn at random, the first of two would be the shorter one too often.
   */
  mayAskTwice({ input, generation }: Pick<Lease, 'input' | 'generation'>): boolean {
    if (input.conversation !== undefined) return false
    if ((generation.temperature ?? 0) === 0) return true
    if (!this.#hasToldOfSampling) this.#emit({ type: 'note', text: samplingNote })
    this.#hasToldOfSampling = true
    return false
  }

  /** A request that is about to be sent. */
  open(lease: Lease, parts: { readonly ask: AskCopy; readonly stop: AbortSignal }): HedgeRace {
    const contest = new HedgeRace(this.#clock.now(), parts)
    this.#rule.sent()
    this.#alone.set(contest, lease)
    void contest.ended.then(({ end, isHedgeFirst }) => {
      this.#alone.delete(contest)
      if (end.type === 'answered') this.#rule.answered(this.#clock.now() - contest.startedAt)
      if (isHedgeFirst) this.#rule.won()
    })
    return contest
  }

  /** The request that has been under way for longest, where that is too long. */
  get due(): Hedge | undefined {
    if (this.waitMs > 0) return undefined
    for (const [contest, lease] of this.#alone) if (!contest.isOver) return { contest, lease }
    return undefined
  }

  /** Milliseconds until one has been under way for too long, as far as it is known now; else Infinity. */
  get waitMs(): number {
    const { afterMs, mayHedge } = this.#rule
    const [oldest] = this.#alone.keys()
    if (oldest === undefined || afterMs === undefined || !mayHedge) return Infinity
    return Math.max(0, oldest.startedAt + afterMs - this.#clock.now())
  }

  /**
   * Sends its second copy, where the gate lets it through; else it gets none.
   *
   * @returns when nothing of the copy is under way any more
   */
  send(
    { contest, lease }: Hedge,
    { share, gate }: { readonly share: LimiterClient; readonly gate: Gate | undefined },
  ): Promise<void> | undefined {
    this.#alone.delete(contest)
    const ticket = gate?.admit(lease, 'spare')
    if (gate !== undefined && ticket === undefined) return undefined
    this.#rule.hedged()
    this.#emit({ type: 'hedge-sent' })
    void contest.ended.then(({ isHedgeFirst }) => this.#emit({ type: 'hedge-ended', isFirst: isHedgeFirst }))
    return contest.hedge({ send: share.enter(), ticket })
  }
}

const samplingNote =
  'requests that sample (temperature above 0) are not hedged: the first of two answers would be the shorter one too often'
