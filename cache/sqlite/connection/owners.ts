import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type Database from 'better-sqlite3'
import type { Owner } from '../../store.js'

/** An owner that was not heard of for so long loses its leases, whether it was stopped, hangs, or is on a machine that is away. */
export const ownerTimeoutMs = 60_000

/** An owner, and when it said last that it lives: milliseconds of the monotonic clock of its machine. */
export type SeenOwner = Owner & { readonly seen: number }

/** Milliseconds since this machine was started: one clock for all of its processes, which nobody sets. */
export const uptime = (): number => Number(process.hrtime.bigint() / 1_000_000n)

export const selectOwners = 'SELECT host, boot AS bootId, pid, start AS startTime, seen FROM owner'

/** A process of this host, told apart from any other that ever ran with its pid. */
export function processOwner(pid: number): Owner {
  return { host: hostname(), bootId: bootId(), pid, startTime: startTime(pid) ?? 'unknown' }
}

export const thisProcess = (): Owner => processOwner(process.pid)

/** Whether that very process of this host runs, and not another that was given its pid. */
export function isProcessRunning({ pid, startTime: start }: Pick<Owner, 'pid' | 'startTime'>): boolean {
  return start === 'unknown' ? isRunning(pid) : startTime(pid) === start
}

/** Whether an owner is a process of this host that runs, be it stopped. */
export const isRunningHere = (owner: Owner, self: Owner): boolean =>
  owner.host === self.host && owner.bootId === self.bootId && isProcessRunning(owner)

const unknownBoot = 'unknown'

/** Whether two owners count time by the same clock: those of one machine do, also from within containers. */
export const isSameMachine = (owner: Owner, self: Owner): boolean =>
  owner.bootId === self.bootId && (owner.bootId !== unknownBoot || owner.host === self.host)

/** Where there is no /proc, hosts are told apart by name alone. */
function bootId(): string {
  return readText('/proc/sys/kernel/random/boot_id')?.trim() ?? unknownBoot
}

/** Whether a process is stopped by a signal, where the system tells (Linux). */
export const isStopped = (pid: number): boolean => ['T', 't'].includes(statOf(pid)?.[0] ?? '')

/** What the system says of a process behind its name: first its state; undefined where there is none. */
function statOf(pid: number): readonly string[] | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  // The command name, in parentheses, may hold blanks: fields are counted from behind it.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** When the process started, in clock ticks since boot; undefined where there is none, or it is a corpse. */
function startTime(pid: number): string | undefined {
  const fields = statOf(pid)
  if (fields === undefined) return undefined
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
}

/** @returns undefined where it can't be read */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs, as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Who works on the store, and whether they still do. */
export class Owners {
  readonly #db: Database.Database
  readonly #uptime: () => number
  readonly #self: Owner
  #id: number | undefined
  /** When this process said last that it lives. */
  #beatAt = -Infinity
  /** Others could not be heard before this. */
  #deafUntil = -Infinity
  /** Owners on other machines, by number: what they said last, and when that was noticed here. */
  readonly #noticed = new Map<number, { readonly seen: number; readonly at: number }>()

  /** @param uptime milliseconds of the machine's monotonic clock, the same for all of its processes */
  constructor(db: Database.Database, uptime: () => number, self: Owner) {
    this.#db = db
    this.#uptime = uptime
    this.#self = self
  }

  /** Makes this process known, before it takes anything. */
  register(): void {
    const { host, bootId: boot, pid, startTime: start } = this.#self
    const row = this.#db
      .prepare<unknown[], { id: number }>(
        'INSERT INTO owner (host, boot, pid, start, seen) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET seen = excluded.seen RETURNING id',
      )
      .get(host, boot, pid, start, this.#uptime())
    this.#id = row?.id
    this.#beatAt = this.#uptime()
  }

  /** This process's number, if it is not only a reader. */
  get registered(): number | undefined {
    return this.#id
  }

  /** This process's number. */
  get me(): number {
    if (this.#id === undefined) throw new Error('internal error: a store that is only read has no owner')
    return this.#id
  }

  /** Says that this process lives. */
  beat(): void {
    if (this.#id === undefined) return
    this.#noticeGap()
    this.#db.prepare('UPDATE owner SET seen = ? WHERE id = ?').run(this.#uptime(), this.#id)
    this.#beatAt = this.#uptime()
  }

  /** Whether an owner may keep what it holds: it runs, and was heard of lately. */
  isAlive(id: number): boolean {
    if (id === this.#id) return true
    const owner = this.#find(id)
    return owner !== undefined && this.#mayRun(owner) && this.#silence(id, owner) < ownerTimeoutMs
  }

  /** Who an owner is, and for how many milliseconds it was not heard of. */
  describe(id: number): { readonly owner: Owner; readonly isHere: boolean; readonly silentMs: number } | undefined {
    const found = this.#find(id)
    if (found === undefined) return undefined
    const { host, bootId: boot, pid, startTime: start } = found
    const isHere = host === this.#self.host
    return { owner: { host, bootId: boot, pid, startTime: start }, isHere, silentMs: this.#silence(id, found) }
  }

  #find(id: number): SeenOwner | undefined {
    return this.#db.prepare<[number], SeenOwner>(`${selectOwners} WHERE id = ?`).get(id)
  }

  /** Of another host, nobody here can tell. */
  #mayRun(owner: Owner): boolean {
    return owner.host !== this.#self.host || isRunningHere(owner, this.#self)
  }

  /**
   * Milliseconds for which an owner was not heard of. On this machine there is one clock for all. The clocks of others say
   * nothing here: it counts when this process noticed that they had said something new.
   */
  #silence(id: number, owner: SeenOwner): number {
    this.#noticeGap()
    const now = this.#uptime()
    // What is in the future was written by an older version of this program, by the time of day.
    if (isSameMachine(owner, this.#self) && owner.seen <= now) return now - Math.max(owner.seen, this.#deafUntil)
    const noticed = this.#noticed.get(id)
    if (noticed !== undefined && noticed.seen === owner.seen) return now - Math.max(noticed.at, this.#deafUntil)
    this.#noticed.set(id, { seen: owner.seen, at: now })
    return 0
  }

  /** Where this process could say nothing for long, since it was stopped or the database locked, others may not have been able to. */
  #noticeGap(): void {
    const now = this.#uptime()
    if (this.#id !== undefined && now - this.#beatAt >= ownerTimeoutMs && this.#deafUntil < this.#beatAt)
      this.#deafUntil = now
  }

  /** Gives back whatever this process holds. */
  leave(): void {
    if (this.#id === undefined) return
    this.#db.prepare('DELETE FROM lease WHERE owner = ?').run(this.#id)
    this.#db.prepare('DELETE FROM input_lease WHERE owner = ?').run(this.#id)
    this.#db.prepare('DELETE FROM working WHERE owner = ?').run(this.#id)
    this.#db.prepare('UPDATE batch SET owner = NULL WHERE owner = ?').run(this.#id)
  }
}
