import type { AttemptEnd, Copy } from './ask-once.js'

/** Asks with one copy. Never rejects. */
export type AskCopy = (copy: Copy, signal: AbortSignal) => Promise<AttemptEnd>

/** What became of all copies. */
export interface HedgeRaceEnd {
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
  /** Of the first copy. Milliseconds. */
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
      if (end.type === 'answered') copy.ticket?.({ type: 'overtaken', usage: end.answer.usage })
      breakOff.abort()
    }
  }
}
