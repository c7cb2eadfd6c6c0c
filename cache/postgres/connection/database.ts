import type { PoolClient } from 'pg'
import { PipelineError, systemCode } from '../../../base/errors/errors.js'
import type { LockListener } from '../../store/opening.js'
import { Outage } from './outage.js'
import type { Server } from './pool.js'
import { makeQuery, readPosition, transact, type Committed, type Query } from './query.js'
import { isConflict, isOutage, serverError } from './server-error.js'
import { Turns } from './turns.js'

/** The kinds of transactions. `snapshot` reads everything as of one moment; a write in it may have to run again. */
type Mode = 'plain' | 'snapshot'

/**
 * The connections of a process to the server. While the server cannot be reached, all work waits and then runs again, so work must only touch the
 * database.
 */
export class Database {
  readonly shown: string
  readonly #server: Server
  /** The pool itself would take a connection that is long at work for a server that does not answer. */
  readonly #turns: Turns
  #outage: Outage
  #isClosed = false
  #isAway = false
  #onAway: () => void = () => undefined
  #channel = ''
  #hearer: ((notice: string | undefined) => void) | undefined
  readonly #hearing = new WeakSet<PoolClient>()
  /** The numbers of the server's processes behind connections that were used before. */
  readonly #backends = new WeakMap<PoolClient, number>()
  #canHear = true
  /** The position in the server's log behind the last transaction that this process committed. */
  #written: string | undefined
  #committedAnswer: StoredAnswer | undefined
  #preparation: string | undefined
  #refusal: Error | undefined

  /** @param listener told while the server cannot be reached */
  constructor(shown: string, server: Server, listener: LockListener) {
    const { pool } = server
    this.shown = shown
    this.#server = server
    this.#turns = new Turns(pool.options.max)
    // Without listeners, the end of a connection between two statements would end the process. The next statement meets the error.
    pool.on('error', () => undefined)
    pool.on('connect', client => client.on('error', () => undefined))
    this.#outage = this.#makeOutage(listener)
  }

  /** Replaces the listener that the constructor got. */
  listen(listener: LockListener): void {
    this.#outage = this.#makeOutage(listener)
  }

  /**
   * Listens to notifications of other handles on all connections.
   *
   * @param channel a name that needs no quotes in SQL
   * @param hearer called with the payload of a notification, or with undefined for a new connection, because notifications may have been lost
   */
  hear(channel: string, hearer: (notice: string | undefined) => void): void {
    this.#channel = channel
    this.#hearer = hearer
  }

  /** Makes all further work fail with an error, such as after an upgrade by a newer version of the program. */
  refuseWork(error: Error): void {
    this.#refusal = error
  }

  /** Runs statements on each connection before its first use, such as those that define its temporary views. */
  async prepareConnections(text: string): Promise<void> {
    await this.read(query => query(text))
    this.#preparation = text
  }

  /** Notes an answer of the last commit. A new connection must lead to a server that has it. */
  noteAnswer(answer: StoredAnswer): void {
    this.#committedAnswer = answer
  }

  /** Calls a listener when the server cannot be reached, once for each time. */
  onAway(listener: () => void): void {
    this.#onAway = listener
  }

  /** True while the server cannot be reached and work waits for it. */
  get isAway(): boolean {
    return this.#isAway
  }

  /** Whether notifications can arrive. A connection may still be lost with some of them. */
  get isHearing(): boolean {
    return this.#hearer !== undefined && this.#canHear
  }

  /** Runs statements that each see what is committed when they begin. */
  read<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#patiently(work)
  }

  /** Runs reads that all see the same moment. */
  snapshot<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#patiently(async query => {
      const { value } = await transact(query, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work)
      return value
    })
  }

  /**
   * Runs a transaction. It is durable when the promise resolves.
   *
   * @param work called with the number of the attempt, from 0. An earlier attempt may have been committed if its connection was cut
   */
  write<T>(work: (query: Query, attempt: number) => Promise<T>, mode: Mode = 'plain'): Promise<T> {
    const begin = mode === 'plain' ? 'BEGIN' : 'BEGIN ISOLATION LEVEL REPEATABLE READ'
    return this.#patiently((query, attempt) => this.#commit(query, begin, inside => work(inside, attempt)))
  }

  /**
   * Runs one statement as a transaction, which holds its locks only while the server works on it. It is durable when the promise resolves.
   *
   * @param values called with the number of the attempt, as `work` in {@link write}
   */
  writeAlone<Row>(text: string, values: (attempt: number) => readonly unknown[]): Promise<readonly Row[]> {
    return this.#patiently(async (query, attempt) => {
      const began = performance.now()
      const rows = await query<Row>(text, values(attempt))
      const commitMs = performance.now() - began
      const [position] = await query<{ written: string }>(readPosition)
      await this.#noteCommit(query, { written: position?.written, commitMs })
      return rows
    })
  }

  /** Runs a transaction once, and does not wait for a server that is away. */
  async writeOnce<T>(work: (query: Query) => Promise<T>): Promise<T> {
    try {
      return await this.#attempt(query => this.#commit(query, 'BEGIN', work), 0)
    } catch (error) {
      throw serverError(this.shown, error)
    }
  }

  /**
   * Runs one statement that must not wait for others of this process, which may wait for a lock for minutes. It gets a connection of its own unless
   * one is free. Failures are not retried.
   */
  async writeApart(work: (query: Query) => Promise<unknown>): Promise<void> {
    try {
      if (this.#turns.isFree) await this.#attempt(work, 0)
      else await this.#server.apart(work)
    } catch (error) {
      throw serverError(this.shown, error)
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#server.pool.end()
  }

  async #patiently<T>(work: (query: Query, attempt: number) => Promise<T>): Promise<T> {
    let conflicts = 0
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(work, attempt)
      } catch (error) {
        if (!this.#isClosed && isConflict(error, conflicts)) {
          conflicts += 1
          continue
        }
        if (this.#isClosed || !isOutage(error)) throw serverError(this.shown, error)
        await this.#outage.wait(error).catch((reason: unknown) => {
          throw serverError(this.shown, reason)
        })
      }
    }
  }

  #attempt<T>(work: (query: Query, attempt: number) => Promise<T>, attempt: number): Promise<T> {
    return this.#turns.take(() => this.#connect(query => work(query, attempt)))
  }

  async #connect<T>(work: (query: Query) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new PipelineError('store', 'the store is closed already: open it again to use it')
    if (this.#refusal !== undefined) throw this.#refusal
    const client = await this.#server.pool.connect()
    let broken: Error | undefined
    try {
      const query = makeQuery(client, () => this.#server.isAtWork(this.#backends.get(client)))
      if (!this.#backends.has(client)) await this.#meet(client, query)
      if (this.isHearing && !this.#hearing.has(client)) await this.#startHearing(client, query)
      return await work(query)
    } catch (error) {
      // A connection with a transaction in an unknown state is not used again.
      if (isOutage(error) || systemCode(error) === undefined) broken = error instanceof Error ? error : undefined
      throw error
    } finally {
      client.release(broken)
    }
  }

  async #commit<T>(query: Query, begin: string, work: (query: Query) => Promise<T>): Promise<T> {
    const { value, ...commit } = await transact(query, begin, work, `COMMIT; ${readPosition}`)
    await this.#noteCommit(query, commit)
    return value
  }

  async #noteCommit(query: Query, { written, commitMs }: Committed): Promise<void> {
    this.#written = written
    if (commitMs > stallMs) await query(`SELECT set_config('${stallSetting}', clock_timestamp()::text, false)`)
  }

  /**
   * Checks that a new connection leads to a server that has all that this process committed. After a server was restored from an older backup, numbers
   * of rows, leases and positions that this process remembers belong to other rows or to none. Its log may have grown past the position meanwhile, but
   * it does not have the answers of the last commit then.
   *
   * @throws PipelineError (store) if commits are lost
   */
  async #checkHistory(query: Query): Promise<void> {
    if (this.#written === undefined) return
    const [history] = await query<{ isRecovering: boolean; isWhole: boolean }>(historySql, [
      ...[this.#written, this.#committedAnswer?.request, this.#committedAnswer?.sum],
    ])
    // A server that recovers its log accepts reads before it has all.
    if (history?.isRecovering === true) throw Object.assign(new Error('the server is starting'), { code: startingCode })
    if (history?.isWhole !== true)
      throw new PipelineError(
        'store',
        `the store ${this.shown} lacks what this process stored: its server was restored from an older backup, or replaced by a copy that was behind. Run the same command again. It sends only the requests whose answers are lost.`,
        { reason: 'store-restored' },
      )
  }

  /** Prepares a new connection. */
  async #meet(client: PoolClient, query: Query): Promise<void> {
    const backend = await this.#server.prepare(client, query)
    await this.#checkHistory(query)
    if (this.#preparation !== undefined) await query(this.#preparation)
    if (backend !== undefined) this.#backends.set(client, backend)
  }

  async #startHearing(client: PoolClient, query: Query): Promise<void> {
    this.#hearing.add(client)
    client.on('notification', ({ payload }) => this.#hearer?.(payload))
    try {
      await query(`LISTEN ${this.#channel}`)
    } catch (error) {
      if (!['25006', '0A000'].includes(systemCode(error) ?? '')) throw error
      // A standby has no notifications.
      this.#canHear = false
    }
    this.#hearer?.(undefined)
  }

  #makeOutage(listener: LockListener): Outage {
    return new Outage(
      this.shown,
      () => this.#probe(),
      listener,
      isAway => {
        const isNews = isAway && !this.#isAway
        this.#isAway = isAway
        if (isNews) this.#onAway()
      },
    )
  }

  async #probe(): Promise<void> {
    await this.#attempt(query => query('SELECT 1'), 0)
  }
}

/** A commit that takes longer has met a stall of the server's disk, in milliseconds. Heartbeats that waited with it are late. */
const stallMs = 20_000
/** The session's setting that holds the end of the last stall which this process met. */
export const stallSetting = 'pipeline.stall_end'

/** An answer in the store: the row of its request, and the checksum of its own row. */
interface StoredAnswer {
  readonly request: number
  readonly sum: number
}

const historySql = `SELECT pg_is_in_recovery() AS "isRecovering",
  CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_insert_lsn() >= $1::pg_lsn
    AND ($2::bigint IS NULL OR EXISTS (SELECT 1 FROM response WHERE request = $2 AND sum = $3::bigint)) END AS "isWhole"`

/** The code of a server that accepts no connections yet. */
const startingCode = '57P03'
