/** Calls of one server: side by side, or one alone, so that it is known by which of them a server ends. */
export class CallsOfServer {
  readonly #underWay = new Set<Promise<unknown>>()
  #alone: Promise<unknown> | undefined

  /** Calls as soon as no other is to be alone. */
  async call<Outcome>(ask: () => Promise<Outcome>): Promise<Outcome> {
    while (this.#alone !== undefined) await this.#alone
    const outcome = ask()
    this.#underWay.add(outcome)
    try {
      return await outcome
    } finally {
      this.#underWay.delete(outcome)
    }
  }

  /** Calls when all others have ended; none begins until this one has. */
  async callAlone<Outcome>(ask: () => Promise<Outcome>): Promise<Outcome> {
    while (this.#alone !== undefined) await this.#alone
    const outcome = Promise.allSettled(this.#underWay).then(ask)
    this.#alone = outcome.catch(() => undefined)
    try {
      return await outcome
    } finally {
      this.#alone = undefined
    }
  }
}
