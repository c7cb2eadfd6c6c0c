import { setImmediate as nextTurn } from 'node:timers/promises'

/** The turns of the event loop that a write waits for others to share its transaction. */
const turns = 4
/** The maximum number of writes of one transaction. */
const mostWrites = 500

/** Bounds a transaction beside the number of its writes. A single write may exceed the bound. */
export interface CommitLimit<In> {
  readonly weigh: (input: In) => number
  readonly most: number
}

interface Pending<In, Out> {
  readonly input: In
  readonly resolve: (value: Out) => void
  readonly reject: (reason: unknown) => void
}

/** Combines writes of one kind into transactions. Writes that arrive while a transaction runs share the next one. */
export class GroupCommit<In, Out> {
  readonly #commit: (inputs: readonly In[]) => Promise<readonly Out[]>
  readonly #limit: CommitLimit<In>
  #waiting: Pending<In, Out>[] = []
  #running: Promise<void> | undefined

  /** @param commit runs one transaction and returns a value for each input, in their order */
  constructor(
    commit: (inputs: readonly In[]) => Promise<readonly Out[]>,
    limit: CommitLimit<In> = { weigh: () => 1, most: mostWrites },
  ) {
    this.#commit = commit
    this.#limit = limit
  }

  /** Resolves when the write is durable. */
  add(input: In): Promise<Out> {
    return new Promise<Out>((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject })
      this.#running ??= this.#run()
    })
  }

  /** Resolves when all writes so far are durable or have failed. */
  async flush(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await nextTurn()
    while (this.#waiting.length > 0) await this.#commitAll(this.#waiting.splice(0, this.#countNext()))
    // It is set in the same turn as the last look, so that no write is added in between and forgotten.
    this.#running = undefined
  }

  /** Counts the writes of the next transaction. */
  #countNext(): number {
    const { weigh, most } = this.#limit
    let weight = 0
    const end = this.#waiting.findIndex(({ input }, index) => {
      weight += weigh(input)
      return index > 0 && (weight > most || index >= mostWrites)
    })
    return end === -1 ? this.#waiting.length : end
  }

  async #commitAll(batch: readonly Pending<In, Out>[]): Promise<void> {
    try {
      const values = await this.#commit(batch.map(({ input }) => input))
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as Out)
    } catch (error) {
      const [first] = batch
      if (batch.length === 1) first?.reject(error)
      // A write that fails must not undo the others, which may hold answers. They are therefore tried one by one.
      else for (const each of batch) await this.#commitAll([each])
    }
  }
}
