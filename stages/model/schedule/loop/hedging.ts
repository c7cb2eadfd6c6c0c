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

/** The requests of a loop in flight that may get a hedge. */
export class Hedging {
  readonly #rule: HedgeRule
  readonly #clock: Clock
  readonly #emit: Emit
  /** The races with one copy, in the order of sending. */
  readonly #alone = new Map<HedgeRace, Lease>()
  #hasToldOfSampling = false

  constructor(after: HedgeAfter, { clock, emit }: { readonly clock: Clock; readonly emit: Emit }) {
    this.#rule = new HedgeRule(after)
    this.#clock = clock
    this.#emit = emit
  }

  /**
   * Tells whether a request may get a second copy. Conversations may not, since they call tools and store rounds.
   * Neither may sampled answers: the first of two would too often be the shorter one.
   */
  #mayAskTwice({ input, generation }: Pick<Lease, 'input' | 'generation'>): boolean {
    if (input.conversation !== undefined) return false
    if ((generation.temperature ?? 0) === 0) return true
    if (!this.#hasToldOfSampling) this.#emit({ type: 'note', text: samplingNote })
    this.#hasToldOfSampling = true
    return false
  }

  /** Returns a function that starts the race of a request. Undefined if the request may have no second copy. */
  raceOf(lease: Lease, stop: AbortSignal): ((ask: AskCopy) => HedgeRace) | undefined {
    return this.#mayAskTwice(lease) ? ask => this.open(lease, { ask, stop }) : undefined
  }

  /** Starts the race of a request that is about to be sent. */
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

  /** The request that is in flight longest, if it is late. */
  get due(): Hedge | undefined {
    const [oldest] = this.#alone
    return oldest === undefined || this.waitMs > 0 ? undefined : { race: oldest[0], lease: oldest[1] }
  }

  /** The milliseconds until the next request is late, or Infinity if that is unknown. */
  get waitMs(): number {
    const { afterMs, mayHedge } = this.#rule
    const [oldest] = this.#alone.keys()
    if (oldest === undefined || afterMs === undefined || !mayHedge) return Infinity
    return Math.max(0, oldest.startedAt + afterMs - this.#clock.now())
  }

  /**
   * Sends a hedge if the gate admits it.
   *
   * @returns a promise that resolves when nothing of the hedge is in flight any more
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

/** Sends one copy. Never rejects. */
export type AskCopy = (copy: Copy, signal: AbortSignal) => Promise<AttemptEnd>

/** The result of all copies. */
interface HedgeRaceEnd {
  readonly end: AttemptEnd
  readonly isHedgeFirst: boolean
  /** The number of copies beside the first. */
  readonly hedges: number
}

/**
 * A race between the copies of a request. The first answer wins, and the other copies are cancelled.
 *
 * A failure of a hedge does not count. A failure of the first copy counts when no other copy is answered, or at once if
 * no retry would help.
 */
export class HedgeRace {
  /** The time when the first copy was sent, in milliseconds. */
  readonly startedAt: number
  readonly ended: Promise<HedgeRaceEnd>
  readonly #ask: AskCopy
  readonly #stop: AbortSignal
  readonly #underWay = new Map<Copy, AbortController>()
  #first: Copy | undefined
  #firstEnd: AttemptEnd | undefined
  #hedges = 0
  #settle: (end: HedgeRaceEnd) => void = () => undefined

  /** @param stop when aborted, all copies are cancelled */
  constructor(startedAt: number, { ask, stop }: { readonly ask: AskCopy; readonly stop: AbortSignal }) {
    this.startedAt = startedAt
    this.#ask = ask
    this.#stop = stop
    this.ended = new Promise(resolve => (this.#settle = resolve))
  }

  begin(copy: Copy): void {
    this.#first = copy
    void this.#send(copy)
  }

  /** Sends a hedge. @returns a promise that resolves when nothing of it is in flight any more */
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
    this.#breakOffOthers(decided)
    this.#settle({ end: decided, isHedgeFirst: decided !== this.#firstEnd, hedges: this.#hedges })
  }

  #withoutAnswer(): AttemptEnd | undefined {
    const end = this.#firstEnd
    if (end === undefined) return undefined
    const isFinal = end.type === 'broken-off' || (end.type === 'failed' && end.next === 'give up')
    return isFinal || this.#underWay.size === 0 ? end : undefined
  }

  /** Cancels the other copies. A provider may bill their work, at most as much as for the answer. */
  #breakOffOthers(end: AttemptEnd): void {
    for (const [copy, breakOff] of this.#underWay) {
      if (end.type === 'answered') copy.permit?.({ type: 'overtaken', usage: end.answer.usage })
      breakOff.abort()
    }
  }
}
