import type { SqliteDatabase } from './database.js'

interface Waiting {
  readonly run: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Turns of the event loop that a write waits for others to share its transaction. Turns, not milliseconds: they pass at
 * once where nothing else is going on, and are long where much arrives.
 */
const turns = { soon: 4, whenever: 32 }

/** How long a write may wait: `whenever` is for what nobody waits for while answers come in. */
export type Patience = keyof typeof turns

/**
 * Many writes, one transaction, one fsync. What arrives within a few turns of the event loop is committed together; what
 * arrives while the disk is busy waits for the next. No promise resolves before its transaction is durable.
 */
export class GroupCommit {
  readonly #db: SqliteDatabase
  readonly #explain: (error: unknown) => unknown
  #waiting: Waiting[] = []
  /** Turns until the next transaction; undefined while nothing waits. */
  #turnsLeft: number | undefined

  constructor(db: SqliteDatabase, explain: (error: unknown) => unknown) {
    this.#db = db
    this.#explain = explain
  }

  /** Runs `write` in the next transaction. It may be run again after a busy database, so it must only touch the database. */
  add<T>(write: () => T, patience: Patience = 'soon'): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run: write, resolve: value => resolve(value as T), reject })
      const isScheduled = this.#turnsLeft !== undefined
      this.#turnsLeft = Math.min(this.#turnsLeft ?? Infinity, turns[patience])
      if (!isScheduled) setImmediate(() => this.#passTurn())
    })
  }

  #passTurn(): void {
    // Committed in between.
    if (this.#turnsLeft === undefined) return
    this.#turnsLeft -= 1
    if (this.#turnsLeft > 0) setImmediate(() => this.#passTurn())
    else this.flush()
  }

  /** Commits what waits, now. */
  flush(): void {
    const batch = this.#waiting
    this.#waiting = []
    this.#turnsLeft = undefined
    if (batch.length === 0) return
    try {
      // IMMEDIATE: a read that turns into a write fails at once when another process wrote in between, whatever the timeout.
      const results = this.#db.transaction(() => batch.map(({ run }) => run())).immediate()
      for (const [index, { resolve }] of batch.entries()) resolve(results[index])
    } catch (error) {
      // One that can't be written must not take the others, which may hold answers, down with it.
      if (batch.length === 1) batch[0]?.reject(this.#explain(error))
      else for (const each of batch) this.#commitAlone(each)
    }
  }

  #commitAlone({ run, resolve, reject }: Waiting): void {
    try {
      resolve(this.#db.transaction(run).immediate())
    } catch (error) {
      reject(this.#explain(error))
    }
  }
}
