import type Database from 'better-sqlite3'
import { isProcessRunning, unknownBoot } from '../../../base/processes/process-identity.js'
import { AnswerRate } from '../../rows/answer-rate.js'
import type { Owner } from '../../store.js'
import type { OwnerKey } from '../../waiting-answers/answer-spill.js'

/** An owner that was silent for this long loses its leases: it was stopped, it hangs, or its machine is unreachable. */
export const ownerTimeoutMs = 60_000

/**
 * A process that registers grants the running processes of its host this time to write a heartbeat, in milliseconds. A lock may have held all of them back,
 * and it got its turn first. They write one every 15 seconds.
 */
const firstBeatMs = 20_000

/** An owner with the time of its last heartbeat, in milliseconds of its machine's monotonic clock. */
export type SeenOwner = Owner & { readonly seen: number }

/** The milliseconds since this machine started. All of its processes share this clock, and nobody can set it. */
export const uptime = (): number => Number(process.hrtime.bigint() / 1_000_000n)

export const selectOwners = 'SELECT host, boot AS bootId, pid, start AS startTime, seen FROM owner'

/** Tells whether an owner is a running process of this host. A stopped process counts as running. */
export const isRunningHere = (owner: Owner, self: Owner): boolean =>
  owner.host === self.host && owner.bootId === self.bootId && isProcessRunning(owner)

/** Tells whether two owners share a monotonic clock. All processes of a machine do, also inside containers. */
export const isSameMachine = (owner: Owner, self: Owner): boolean =>
  owner.bootId === self.bootId && (owner.bootId !== unknownBoot || owner.host === self.host)

/** Keeps the list of processes that work on the store, and tells which of them are alive. */
export class Owners {
  readonly #db: Database.Database
  readonly #uptime: () => number
  readonly #self: Owner
  /** The answers that this process stores. */
  readonly answered: AnswerRate
  #id: number | undefined
  /** The time of this process's last heartbeat. */
  #beatAt = -Infinity
  #registeredAt = -Infinity
  /** Heartbeats of others before this time may be missing, so their silence counts from here. */
  #deafUntil = -Infinity
  /** The last heartbeat of each owner on another machine, and when this process noticed the heartbeat. */
  readonly #noticed = new Map<number, { readonly seen: number; readonly at: number }>()

  /** @param uptime returns milliseconds of the machine's monotonic clock, which all its processes share */
  constructor(db: Database.Database, uptime: () => number, self: Owner) {
    this.#db = db
    this.#uptime = uptime
    this.#self = self
    this.answered = new AnswerRate(uptime)
  }

  /** Registers this process. Call it before the first lease. */
  register(): void {
    const { host, bootId: boot, pid, startTime: start } = this.#self
    const row = this.#db
      .prepare<unknown[], { id: number }>(
        'INSERT INTO owner (host, boot, pid, start, seen) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET seen = excluded.seen RETURNING id',
      )
      .get(host, boot, pid, start, this.#uptime())
    this.#id = row?.id
    this.#beatAt = this.#uptime()
    this.#registeredAt = this.#beatAt
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

  /** Writes a heartbeat. */
  beat(): void {
    if (this.#id === undefined) return
    this.#noticeGap()
    const { answers, perSecond } = this.answered.beat()
    this.#db
      .prepare('UPDATE owner SET seen = ?, answers = ?, per_second = ? WHERE id = ?')
      .run(this.#uptime(), answers, perSecond, this.#id)
    this.#beatAt = this.#uptime()
  }

  /** Tells whether an owner may keep its leases: it runs, and its last heartbeat is recent. */
  isAlive(id: number): boolean {
    if (id === this.#id) return true
    const owner = this.#find(id)
    if (owner === undefined || !this.#mayRun(owner)) return false
    return this.#silence(id, owner) < ownerTimeoutMs || (this.#isNew() && isRunningHere(owner, this.#self))
  }

  /** The facts that tell this process from all others. */
  get key(): OwnerKey {
    const { host, bootId: boot, pid, startTime: start } = this.#self
    return { host, boot, pid, start }
  }

  /** Tells whether a process is alive. One that never was registered here counts as gone. */
  isAliveKey({ host, boot, pid, start }: OwnerKey): boolean {
    const row = this.#db
      .prepare<unknown[], { id: number }>('SELECT id FROM owner WHERE host = ? AND boot = ? AND pid = ? AND start = ?')
      .get(host, boot, pid, start)
    return row !== undefined && this.isAlive(row.id)
  }

  /** Describes an owner, and how many milliseconds ago its last heartbeat was. */
  describe(id: number): { readonly owner: Owner; readonly isHere: boolean; readonly silentMs: number } | undefined {
    const ownerRow = this.#find(id)
    if (ownerRow === undefined) return undefined
    const { host, bootId: boot, pid, startTime: start } = ownerRow
    const isHere = host === this.#self.host
    return { owner: { host, bootId: boot, pid, startTime: start }, isHere, silentMs: this.#silence(id, ownerRow) }
  }

  #find(id: number): SeenOwner | undefined {
    return this.#db.prepare<[number], SeenOwner>(`${selectOwners} WHERE id = ?`).get(id)
  }

  /** Returns true if a process may be running. This process cannot see the processes of another host. */
  #mayRun(owner: Owner): boolean {
    return owner.host !== this.#self.host || isRunningHere(owner, this.#self)
  }

  /**
   * Computes how many milliseconds an owner was silent. Owners on this machine share one clock. Clocks of other machines cannot be compared, so the
   * silence of their owners counts from when this process noticed the last heartbeat.
   */
  #silence(id: number, owner: SeenOwner): number {
    this.#noticeGap()
    const now = this.#uptime()
    // A heartbeat in the future was written by an older version of this program, which used the time of day.
    if (isSameMachine(owner, this.#self) && owner.seen <= now) return now - Math.max(owner.seen, this.#deafUntil)
    const noticed = this.#noticed.get(id)
    if (noticed !== undefined && noticed.seen === owner.seen) return now - Math.max(noticed.at, this.#deafUntil)
    this.#noticed.set(id, { seen: owner.seen, at: now })
    return 0
  }

  /**
   * Notices a long gap in this process's own heartbeats. If it was stopped or the database was locked, others may have
   * been unable to write heartbeats, too.
   */
  #noticeGap(): void {
    const now = this.#uptime()
    if (this.#id !== undefined && now - this.#beatAt >= ownerTimeoutMs && this.#deafUntil < this.#beatAt)
      this.#deafUntil = now
  }

  /** Tells whether this process registered a moment ago. */
  #isNew(): boolean {
    return this.#uptime() - this.#registeredAt < firstBeatMs
  }

  /** Releases everything that this process holds. */
  leave(): void {
    if (this.#id === undefined) return
    this.#db.prepare('DELETE FROM lease WHERE owner = ?').run(this.#id)
    this.#db.prepare('DELETE FROM input_lease WHERE owner = ?').run(this.#id)
    this.#db.prepare('DELETE FROM working WHERE owner = ?').run(this.#id)
    for (const table of ['batch', 'job'])
      this.#db.prepare(`UPDATE ${table} SET owner = NULL WHERE owner = ?`).run(this.#id)
  }
}
