/** Lets so many through, and keeps those that come after them waiting until more may pass. */
export class AnswerGate {
  #left: number
  readonly #waiting: (() => boolean)[] = []

  constructor(left = Infinity) {
    this.#left = left
  }

  /** Calls `answer` when its turn comes; it says whether anybody was still there to be answered. */
  pass(answer: () => boolean): void {
    this.#waiting.push(answer)
    this.#open()
  }

  /** From now on so many more may pass. */
  allow(more: number): void {
    this.#left = more
    this.#open()
  }

  #open(): void {
    while (this.#left > 0) {
      const answer = this.#waiting.shift()
      if (answer === undefined) return
      if (answer()) this.#left -= 1
    }
  }
}
