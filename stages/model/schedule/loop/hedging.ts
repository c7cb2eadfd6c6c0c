import type { Clock } from '../../../../base/time/clock.js'
import type { Emit } from '../../../../cache/events.js'
import type { Lease } from '../../../../cache/store.js'
import type { Gate } from '../../budget/gate.js'
import type { LimiterClient } from '../limits/limiter-client.js'
import type { AttemptEnd, Copy } from './ask-once.js'
import { type HedgeAfter, HedgeRule } from './hedge-rule.js'

/** A request that is late. */
export interface Hedge {
  readonly race: HedgeRace
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
    const race = new HedgeRace(this.#clock.now(), parts)
    this.#rule.sent()
    this.#alone.set(race, lease)
    void race.ended.then(({ end, isHedgeFirst }) => {
      this.#alone.delete(race)
      if (end.type === 'answered') this.#rule.answered(this.#clock.now() - race.startedAt)
      if (isHedgeFirst) this.#rule.won()
    })
    return race
  }

  /** The request that has been under way for longest, where that is too long. */
  get due(): Hedge | undefined {
    if (this.waitMs > 0) return undefined
    for (const [race, lease] of this.#alone) if (!race.isOver) return { race, lease }
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
    { race, lease }: Hedge,
    { client, gate }: { readonly client: LimiterClient; readonly gate: Gate | undefined },
  ): Promise<void> | undefined {
    this.#alone.delete(race)
    const permit = gate?.admit(lease, 'spare')
    if (gate !== undefined && permit === undefined) return undefined
    this.#rule.hedged()
    this.#emit({ type: 'hedge-sent' })
    void race.ended.then(({ isHedgeFirst }) => this.#emit({ type: 'hedge-ended', isFirst: isHedgeFirst }))
    return race.hedge({ send: client.enter(), permit })
  }
}

const samplingNote =
  'requests that sample (temperature above 0) are not hedged: the first of two answers would be the shorter one too often'

/** Asks with one copy. Never rejects. */
export type AskCopy = (copy: Copy, signal: AbortSignal) => Promise<AttemptEnd>

/** What became of all copies. */
interface HedgeRaceEnd {
  readonly end: AttemptEnd
  readonly isHedgeFirst: boolean
  /** Copies that were sent beside the first. */
  readonly hedges: number
}

/**
 * A request of which a second copy may be sent: the first answer is taken, and what else is under way is broken off.
 *
 * What a second copy fails with is nothing to the request. What the first one fails with counts when no other copy brings an
 * answer; at once where no further try would.
 */
export class HedgeRace {
  /** When the first copy was sent. Milliseconds. */
  readonly startedAt: number
  readonly ended: Promise<HedgeRaceEnd>
  readonly #ask: AskCopy
  readonly #stop: AbortSignal
  readonly #underWay = new Map<Copy, AbortController>()
  #first: Copy | undefined
  #firstEnd: AttemptEnd | undefined
  #hedges = 0
  #isOver = false
  #settle: (end: HedgeRaceEnd) => void = () => undefined

  /** @param stop aborted: break off */
  constructor(startedAt: number, { ask, stop }: { readonly ask: AskCopy; readonly stop: AbortSignal }) {
    this.startedAt = startedAt
    this.#ask = ask
    this.#stop = stop
    this.ended = new Promise(resolve => (this.#settle = resolve))
  }

  /** Whether it is known what became of it. */
  get isOver(): boolean {
    return this.#isOver
  }

  begin(copy: Copy): void {
    this.#first = copy
    void this.#send(copy)
  }

  /** Sends a second copy. @returns when nothing of it is under way any more */
  hedge(copy: Copy): Promise<void> {
    this.#hedges += 1
    return this.#send({ ...copy, isHedge: true })
  }

  async #send(copy: Copy): Promise<void> {
    const breakOff = new AbortController()
    this.#underWay.set(copy, breakOff)
    const end = await this.#ask(copy, AbortSignal.any([this.#stop, breakOff.signal]))
    this.#underWay.delete(copy)
    if (copy === this.#first) this.#firstEnd = end
    const decided = end.type === 'answered' ? end : this.#withoutAnswer()
    if (decided === undefined) return
    this.#isOver = true
    this.#breakOffOthers(decided)
    this.#settle({ end: decided, isHedgeFirst: decided !== this.#firstEnd, hedges: this.#hedges })
  }

  #withoutAnswer(): AttemptEnd | undefined {
    const end = this.#firstEnd
    if (end === undefined) return undefined
    const isFinal = end.type === 'broken-off' || (end.type === 'failed' && end.next === 'give up')
    return isFinal || this.#underWay.size === 0 ? end : undefined
  }

  /** A provider may bill what it did for a copy: as much as for the answer, at most. */
  #breakOffOthers(end: AttemptEnd): void {
    for (const [copy, breakOff] of this.#underWay) {
      if (end.type === 'answered') copy.permit?.({ type: 'overtaken', usage: end.answer.usage })
      breakOff.abort()
    }
  }
}
