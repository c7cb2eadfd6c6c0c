import { readlinkSync } from 'node:fs'
import { isProcessRunning } from '../../../base/processes/process-identity.js'
import type { Holder, Owner } from '../../store.js'
import { AnswerRate } from '../../rows/answer-rate.js'
import type { OwnerKey } from '../../waiting-answers/answer-spill.js'
import { stallSetting } from './database.js'
import type { Query } from './query.js'

/** An owner that was silent for this long loses its leases, by the server's clock alone. */
const timeout = "interval '60 seconds'"

/**
 * SQL that tells whether the owner `o` may keep its leases. While the server was away or its disk stalled, nobody could write a heartbeat, so silence
 * counts from its start or the end of the stall.
 */
const isAliveSql = `(NOT o.gone AND greatest(o.seen, pg_postmaster_start_time(), nullif(current_setting('${stallSetting}', true), '')::timestamptz)
  > clock_timestamp() - ${timeout})`

/** SQL that tells whether the owner with this number is alive. */
export const livesSql = (column: string): string =>
  `EXISTS (SELECT 1 FROM owner o WHERE o.id = ${column} AND ${isAliveSql})`

interface OwnerRow extends OwnerKey {
  readonly id: number
}

/** The processes that work on the store, and which of them are alive. */
export class Owners {
  readonly #self: Owner
  readonly #boot: string
  /** The answers that this process stores. */
  readonly answered = new AnswerRate(() => performance.now())
  #id: number | undefined

  constructor(self: Owner) {
    this.#self = self
    this.#boot = `${self.bootId} ${findProcessNamespace()}`
  }

  /** Registers this process. Call it before the first lease. */
  async register(query: Query): Promise<void> {
    const { host, pid, startTime } = this.#self
    const [row] = await query<{ id: number }>(
      `INSERT INTO owner (host, boot, pid, start, seen) VALUES ($1, $2, $3, $4, clock_timestamp())
       ON CONFLICT (host, boot, pid, start) DO UPDATE SET seen = excluded.seen, gone = false RETURNING id`,
      [host, this.#boot, pid, startTime],
    )
    this.#id = row?.id
  }

  /** This process's number. Undefined if it only reads. */
  get registered(): number | undefined {
    return this.#id
  }

  /** This process's number. @throws Error if it only reads */
  get me(): number {
    if (this.#id === undefined) throw new Error('internal error: a store that is only read has no owner')
    return this.#id
  }

  /** The facts that tell this process from all others. */
  get key(): OwnerKey {
    const { host, pid, startTime } = this.#self
    return { host, boot: this.#boot, pid, start: startTime }
  }

  /** Tells whether a process is alive. */
  async isAliveKey(query: Query, { host, boot, pid, start }: OwnerKey): Promise<boolean> {
    const [row] = await query<OwnerRow>(
      `SELECT id, host, boot, pid, start FROM owner o WHERE host = $1 AND boot = $2 AND pid = $3 AND start = $4 AND ${isAliveSql}`,
      [host, boot, pid, start],
    )
    return row !== undefined && !this.#isDead(row)
  }

  /** Writes a heartbeat. */
  async beat(query: Query): Promise<void> {
    if (this.#id === undefined) return
    const { answers, perSecond } = this.answered.beat()
    const { host, boot, pid, start } = this.key
    // In a database that was restored from an older backup, the number may belong to another process.
    await query(
      `UPDATE owner SET seen = clock_timestamp(), gone = false, answers = $2, per_second = $3
       WHERE id = $1 AND host = $4 AND boot = $5 AND pid = $6 AND start = $7`,
      [this.#id, answers, perSecond, host, boot, pid, start],
    )
  }

  /**
   * Writes the number of answers that this process has stored. A process that others declared dead stays dead until its next heartbeat, because it
   * may have lost leases.
   */
  async tellAnswers(query: Query): Promise<void> {
    const { answers, perSecond } = this.answered.beat()
    await query('UPDATE owner SET seen = clock_timestamp(), answers = $2, per_second = $3 WHERE id = $1', [
      this.#id,
      answers,
      perSecond,
    ])
  }

  /** Marks dead processes of this machine, so that their leases are free at once. */
  async bury(query: Query): Promise<void> {
    const dead = await this.#findDead(query)
    if (dead.length > 0) await query('UPDATE owner SET gone = true WHERE id = ANY($1)', [dead])
  }

  /** Tells whether a process of this machine is dead and not marked yet. */
  async findsDead(query: Query): Promise<boolean> {
    return (await this.#findDead(query)).length > 0
  }

  /** Returns the numbers of the owners that are alive. */
  async alive(query: Query): Promise<ReadonlySet<number>> {
    const rows = await query<OwnerRow>(`SELECT id, host, boot, pid, start FROM owner o WHERE ${isAliveSql}`)
    return new Set(rows.filter(row => !this.#isDead(row)).map(({ id }) => id))
  }

  /** Tells whether a row is of this process, which need not be registered. */
  isSelf({ host, boot, pid, start }: OwnerKey): boolean {
    return host === this.#self.host && boot === this.#boot && pid === this.#self.pid && start === this.#self.startTime
  }

  /** Describes the processes that hold leases. @param items the number of items of each owner */
  async holders(query: Query, items: ReadonlyMap<number, number>): Promise<readonly Holder[]> {
    if (items.size === 0) return []
    const rows = await query<OwnerRow & { readonly silent: number }>(
      `SELECT id, host, boot, pid, start, floor(extract(epoch FROM clock_timestamp() - seen) * 1000)::bigint AS silent
       FROM owner WHERE id = ANY($1) ORDER BY id`,
      [[...items.keys()]],
    )
    return rows.map(({ id, host, pid, silent }) => ({
      ...{ host, pid, isHere: host === this.#self.host, items: items.get(id) ?? 0, silentMs: Math.max(0, silent) },
    }))
  }

  /** Releases everything that this process holds. */
  async leave(query: Query): Promise<void> {
    if (this.#id === undefined) return
    for (const table of ['lease', 'input_lease', 'working'])
      await query(`DELETE FROM ${table} WHERE owner = $1`, [this.#id])
    for (const table of ['batch', 'job']) await query(`UPDATE ${table} SET owner = NULL WHERE owner = $1`, [this.#id])
  }

  async #findDead(query: Query): Promise<readonly number[]> {
    const rows = await query<OwnerRow>(
      `SELECT id, host, boot, pid, start FROM owner o WHERE host = $1 AND boot = $2 AND id <> $3 AND ${isAliveSql}`,
      [this.#self.host, this.#boot, this.#id ?? 0],
    )
    return rows.filter(row => this.#isDead(row)).map(({ id }) => id)
  }

  /** Whether a process of another machine or container runs cannot be seen from here. */
  #isDead({ id, host, boot, pid, start }: OwnerRow): boolean {
    if (id === this.#id || host !== this.#self.host || boot !== this.#boot) return false
    return !isProcessRunning({ pid, startTime: start })
  }
}

/** Returns the process namespace (Linux only). Process ids are only comparable within one. */
function findProcessNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}
