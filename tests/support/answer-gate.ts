/** Lets a limited number of answers pass, and holds the others until more are allowed. */
export class AnswerGate {
  #left: number
  readonly #waiting: (() => boolean)[] = []

  constructor(left = Infinity) {
    this.#left = left
  }

  /** Calls `answer` when its turn comes. `answer` returns whether the client was still connected. */
  pass(answer: () => boolean): void {
    this.#waiting.push(answer)
    this.#open()
  }

  /** Allows more answers to pass. */
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
