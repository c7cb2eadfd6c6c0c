import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Statement } from 'better-sqlite3'
import { waitBriefly, waitLong, type SqliteDatabase } from './database.js'
import { isLocked, type LockPatience as LockPatience } from './lock-wait.js'

interface PendingWrite {
  readonly run: () => unknown
  /** Called after the commit, before it is durable. */
  readonly kept: ((value: unknown) => void) | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** Reports the result of a write once it is known whether it is durable. */
interface Outcome {
  readonly tell: () => void
  readonly reject: (reason: unknown) => void
}

/**
 * The number of turns of the event loop that a write waits for others to share its transaction. Turns adapt to the
 * load: they pass at once if nothing else happens, and take long if much arrives.
 */
const turns = { soon: 4, whenever: 32 }
/** The number of turns that a sync waits for further transactions to share it. */
const syncTurns = 12

export interface GroupCommitHooks {
  /** Makes committed transactions durable. */
  readonly sync: () => Promise<void>
  /** Called in each transaction, before its writes. What it throws undoes them. */
  readonly check?: () => void
  /** Explains an error to the user. */
  readonly explain: (error: unknown) => unknown
  /** The patience with locks of other processes. Without it, a locked database is an error. */
  readonly patience?: LockPatience
}

/** The urgency of a write. `whenever` is for writes that nothing waits for while answers arrive. */
export type CommitUrgency = keyof typeof turns

/**
 * Combines many writes into one transaction and one fsync. Writes that arrive within a few turns of the event loop are
 * committed together. Commits that happen while the disk is busy share the next fsync. A promise resolves only when its
 * transaction is durable, together with all earlier ones.
 *
 * SQLite would sync inside the commit and block the event loop for as long as the disk takes. These transactions
 * therefore skip the sync, and the log is synced in the background before the promises resolve.
 */
export class GroupCommit {
  readonly #db: SqliteDatabase
  readonly #sync: () => Promise<void>
  readonly #check: () => void
  readonly #explain: (error: unknown) => unknown
  readonly #patience: LockPatience | undefined
  /** Counts the rows that this connection has changed. */
  readonly #changes: Statement
  #waiting: PendingWrite[] = []
  /** The turns until the next transaction. Undefined while no write waits. */
  #turnsLeft: number | undefined
  /** The number of transactions that changed rows, and below it the number of those that are durable. */
  #committed = 0
  #synced = 0
  #untold: Outcome[] = []
  /** Set while a sync runs. */
  #syncing: Promise<void> | undefined
  /** Set after a failed sync. Data that the disk rejected once may be lost, so no later write counts as durable. */
  #broken: { readonly error: unknown } | undefined

  /** Set while another process holds the database's lock. */
  #locked: Promise<void> | undefined
  /** Set from the first lease on: a request may be in flight, whose answer is lost if its write is given up. */
  #holdsAnswers = false

  constructor(db: SqliteDatabase, { sync, explain, patience, check }: GroupCommitHooks) {
    this.#db = db
    this.#check = check ?? (() => undefined)
    this.#sync = sync
    this.#explain = explain
    this.#patience = patience
    this.#changes = db.prepare('SELECT total_changes()').pluck()
  }

  /**
   * Runs `write` in the next transaction. If the database is busy, `write` runs again, so it must have no effect outside the database.
   *
   * @param kept called after the commit. From then on, only a power cut can undo the write.
   */
  add<T>(write: () => T, patience: CommitUrgency = 'soon', kept?: (value: T) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        run: write,
        kept: kept && (value => kept(value as T)),
        resolve: value => resolve(value as T),
        reject,
      })
      const isScheduled = this.#turnsLeft !== undefined
      this.#turnsLeft = Math.min(this.#turnsLeft ?? Infinity, turns[patience])
      if (!isScheduled) setImmediate(() => this.#passTurn())
    })
  }

  /**
   * Like {@link add}, but resolves at the commit. Use it for reads whose results only go into later transactions, because these cannot become durable
   * before this one.
   */
  look<T>(write: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.add(write, 'soon', resolve).catch(reject)
    })
  }

  /** Tells that answers arrive from now on. A signal to finish no longer ends a wait for the database's lock; a signal to stop does. */
  expectAnswers(): void {
    this.#holdsAnswers = true
  }

  /** Commits all waiting writes at once. Resolves when all of them are durable. */
  async flush(): Promise<void> {
    do {
      this.#commit()
      await this.#locked
      await this.#syncing
    } while (this.#waiting.length > 0)
  }

  #passTurn(): void {
    // The writes were committed meanwhile.
    if (this.#turnsLeft === undefined) return
    this.#turnsLeft -= 1
    if (this.#turnsLeft > 0) setImmediate(() => this.#passTurn())
    else this.#commit()
  }

  #commit(): void {
    this.#turnsLeft = undefined
    if (this.#locked !== undefined) return
    const batch = this.#waiting
    this.#waiting = []
    if (batch.length > 0) this.#commitAll(batch)
  }

  #commitAll(batch: readonly PendingWrite[]): void {
    const outcomes: Outcome[] = []
    try {
      this.#transact(batch, outcomes)
      this.#patience?.reset()
    } catch (error) {
      // If the writes ran one by one, some of them may be done.
      this.#waiting = [...batch.slice(outcomes.length), ...this.#waiting]
      this.#locked = this.#waitForLock(error)
    }
    if (this.#synced === this.#committed) for (const { tell } of outcomes) tell()
    else {
      this.#untold.push(...outcomes)
      this.#syncing ??= this.#tellWhenDurable()
    }
  }

  /** Waits for the lock. No other write runs meanwhile, so that writes keep their order. */
  async #waitForLock(met: unknown): Promise<void> {
    try {
      await this.#patience?.wait(met, { holdsAnswers: this.#holdsAnswers })
      this.#locked = undefined
      this.#commit()
    } catch (error) {
      this.#locked = undefined
      const batch = this.#waiting
      this.#waiting = []
      for (const { reject } of batch) reject(this.#explain(error))
    }
  }

  /**
   * @param outcomes receives one entry for each write that was done or failed, in their order
   * @throws SQLite's error if the database is locked and there is patience
   */
  #transact(batch: readonly PendingWrite[], outcomes: Outcome[]): void {
    try {
      if (this.#broken !== undefined) throw this.#broken.error
      const results = this.#run(() => {
        this.#check()
        return batch.map(({ run }) => run())
      })
      for (const [index, { kept }] of batch.entries()) kept?.(results[index])
      for (const [index, { resolve, reject }] of batch.entries())
        outcomes.push({ tell: () => resolve(results[index]), reject })
    } catch (error) {
      if (this.#patience !== undefined && isLocked(error)) throw error
      const [first] = batch
      if (first !== undefined && batch.length === 1)
        outcomes.push({ tell: () => first.reject(this.#explain(error)), reject: first.reject })
      // A write that fails must not undo the others, which may hold answers. They are therefore tried one by one.
      else for (const each of batch) this.#transact([each], outcomes)
    }
  }

  #run(work: () => unknown[]): unknown[] {
    const before = this.#changes.get()
    // An IMMEDIATE transaction takes the write lock at once. A read that becomes a write fails, without waiting, if
    // another process wrote in between.
    const transaction = (): unknown[] => this.#db.transaction(work).immediate()
    // During a long transaction, such as an import, these writes are part of that transaction.
    if (this.#db.inTransaction) return transaction()
    this.#db.pragma('synchronous = NORMAL')
    waitBriefly(this.#db)
    try {
      const results = transaction()
      if (this.#changes.get() !== before) this.#committed += 1
      return results
    } finally {
      this.#db.pragma('synchronous = FULL')
      waitLong(this.#db)
    }
  }

  async #tellWhenDurable(): Promise<void> {
    while (this.#untold.length > 0) {
      for (let turn = 0; turn < syncTurns; turn++) await nextTurn()
      const outcomes = this.#untold
      this.#untold = []
      const committed = this.#committed
      try {
        await this.#sync()
        this.#synced = committed
        for (const { tell } of outcomes) tell()
      } catch (error) {
        this.#broken ??= { error }
        for (const { reject } of outcomes) reject(this.#explain(error))
      }
    }
    this.#syncing = undefined
  }
}
