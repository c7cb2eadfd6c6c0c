import { formatQuantity } from '../../base/text/numbers.js'
import { isUnwritable } from './unwritable.js'
import type { AnswerSpill, KeyedAnswer, WaitingItem } from './answer-spill.js'

/** Says that answers of earlier processes are stored now. */
export const recoveredText = (answers: number): string =>
  `${formatQuantity(answers, 'answer')} that waited for the store when an earlier process ended ${answers === 1 ? 'is' : 'are'} stored now.`

/** The answers of a store that wait in files until it can be written: those of this process, and those that earlier ones left. */
export class WaitingAnswers {
  readonly spill: AnswerSpill
  readonly #recover: () => Promise<number>
  /** True while answers of earlier processes are known to wait. */
  #isBehind = false

  /** @param recover stores the answers that ended processes left. @see recoverAnswers */
  constructor(spill: AnswerSpill, recover: () => Promise<number>) {
    this.spill = spill
    this.#recover = recover
  }

  /**
   * Stores what earlier processes left. A store that still cannot be written keeps it for later, because a command such as `cache gc` may be what frees
   * the space.
   *
   * @returns the number of answers that were missing in the store
   */
  async recover(): Promise<number> {
    try {
      const stored = await this.#recover()
      this.#isBehind = false
      return stored
    } catch (error) {
      if (!isUnwritable(error)) throw error
      this.#isBehind = true
      return 0
    }
  }

  /** Call before requests are leased, so that none is sent whose answer waits. @throws PipelineError (store) if they cannot be stored */
  async catchUp(): Promise<void> {
    if (!this.#isBehind) return
    await this.#recover()
    this.#isBehind = false
  }

  /** Like {@link keep}, for an answer whose request is not stored yet. */
  keepItem(answer: KeyedAnswer, item: WaitingItem, error: unknown): void {
    if (isUnwritable(error)) this.keep({ ...answer, item: JSON.stringify(item) }, error)
  }

  /** Writes an answer to a file, if the store could not take it because it cannot be written at the moment. */
  keep(answer: KeyedAnswer, error: unknown): void {
    if (!isUnwritable(error)) return
    try {
      this.spill.append(answer)
    } catch {
      // No disk has space. The error of the store is reported, and the request is sent again.
    }
  }
}
