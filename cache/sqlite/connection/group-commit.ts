import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Statement } from 'better-sqlite3'
import { waitBriefly, waitLong, type SqliteDatabase } from './database.js'
import { isLocked, type LockPatience as LockPatience } from './lock-wait.js'

interface PendingWrite {
  readonly run: () => unknown
  /** Called when it is committed, before it is durable. */
  readonly kept: ((value: unknown) => void) | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** What is said of a write once it is known to be durable, or not. */
interface Outcome {
  readonly tell: () => void
  readonly reject: (reason: unknown) => void
}

/**
 * Turns of the event loop that a write waits for others to share its transaction. Turns, not milliseconds: they pass at
 * once where nothing else is going on, and are long where much arrives.
 */
const turns = { soon: 4, whenever: 32 }
/** Turns that a sync waits for further transactions to share it. */
const syncTurns = 12

export interface GroupCommitHooks {
  /** Makes durable what is committed. */
  readonly sync: () => Promise<void>
  /** What an error means to a person. */
  readonly explain: (error: unknown) => unknown
  /** With the locks of other processes; none where there is none. */
  readonly patience?: LockPatience
}

/** How long a write may wait: `whenever` is for what nobody waits for while answers come in. */
export type CommitUrgency = keyof typeof turns

/**
 * Many writes, one transaction, one fsync. What arrives within a few turns of the event loop is committed together; what
 * is committed while the disk is busy shares the next fsync. No promise resolves before its transaction is durable, and all
 * that the transaction can have seen.
 *
 * SQLite syncs within the commit, and holds the event loop up for as long as the disk takes. So these transactions leave it
 * out, and the log is synced beside the loop before anybody is told.
 */
export class GroupCommit {
  readonly #db: SqliteDatabase
  readonly #sync: () => Promise<void>
  readonly #explain: (error: unknown) => unknown
  readonly #patience: LockPatience | undefined
  /** Rows that were ever changed. */
  readonly #changes: Statement
  #waiting: PendingWrite[] = []
  /** Turns until the next transaction; undefined while nothing waits. */
  #turnsLeft: number | undefined
  /** Transactions that changed something, and how many of them are durable. */
  #committed = 0
  #synced = 0
  #untold: Outcome[] = []
  /** While the disk is busy. */
  #syncing: Promise<void> | undefined
  /** Of the disk: what it did not take once may be lost, whatever it takes later. */
  #broken: { readonly error: unknown } | undefined

  /** While another process has the database locked. */
  #locked: Promise<void> | undefined

  constructor(db: SqliteDatabase, { sync, explain, patience }: GroupCommitHooks) {
    this.#db = db
    this.#sync = sync
    this.#explain = explain
    this.#patience = patience
    this.#changes = db.prepare('SELECT total_changes()').pluck()
  }

  /**
   * Runs `write` in the next transaction. It may be run again after a busy database, so it must only touch the database.
   *
   * @param kept called when it is committed: the end of the process can't undo it from there on, a power cut still can
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
   * Like {@link add}, but resolves when it is committed: for what is told to nobody, and whose results are written by later
   * transactions, which are durable no sooner than this one.
   */
  look<T>(write: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.add(write, 'soon', resolve).catch(reject)
    })
  }

  /** Commits what waits, now, and resolves when all of it is durable. */
  async flush(): Promise<void> {
    do {
      this.#commit()
      await this.#locked
      await this.#syncing
    } while (this.#waiting.length > 0)
  }

  #passTurn(): void {
    // Committed in between.
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
      // Of writes that went one by one, some may be done.
      this.#waiting = [...batch.slice(outcomes.length), ...this.#waiting]
      this.#locked = this.#waitForLock(error)
    }
    if (this.#synced === this.#committed) for (const { tell } of outcomes) tell()
    else {
      this.#untold.push(...outcomes)
      this.#syncing ??= this.#tellWhenDurable()
    }
  }

  /** Nothing else is written meanwhile, so that the order stays. */
  async #waitForLock(met: unknown): Promise<void> {
    try {
      await this.#patience?.wait(met)
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
   * @param outcomes takes one for each that is written or can't be, in their order
   * @throws what the database says where it is locked, and there is patience
   */
  #transact(batch: readonly PendingWrite[], outcomes: Outcome[]): void {
    try {
      if (this.#broken !== undefined) throw this.#broken.error
      const results = this.#run(() => batch.map(({ run }) => run()))
      for (const [index, { kept }] of batch.entries()) kept?.(results[index])
      for (const [index, { resolve, reject }] of batch.entries())
        outcomes.push({ tell: () => resolve(results[index]), reject })
    } catch (error) {
      if (this.#patience !== undefined && isLocked(error)) throw error
      const [first] = batch
      if (first !== undefined && batch.length === 1)
        outcomes.push({ tell: () => first.reject(this.#explain(error)), reject: first.reject })
      // One that can't be written must not take the others, which may hold answers, down with it.
      else for (const each of batch) this.#transact([each], outcomes)
    }
  }

  #run(work: () => unknown[]): unknown[] {
    const before = this.#changes.get()
    // IMMEDIATE: a read that turns into a write fails at once when another process wrote in between, whatever the timeout.
    const transaction = (): unknown[] => this.#db.transaction(work).immediate()
    // Within a transaction that goes on for long, this is a part of it, and becomes durable with it.
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
