import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Owner } from '../store.js'
import type { SqliteDatabase } from './database.js'

/** An owner on another host is taken for gone when it was not heard of for so long. */
const foreignOwnerTimeoutMs = 60_000

/** An owner, and when it was last heard of: milliseconds since 1970. */
export type SeenOwner = Owner & { readonly seen: number }

export const selectOwners = 'SELECT host, boot AS bootId, pid, start AS startTime, seen FROM owner'

/** This process, told apart from any other that ever ran with its pid. */
export function thisProcess(): Owner {
  return { host: hostname(), bootId: bootId(), pid: process.pid, startTime: startTime(process.pid) ?? 'unknown' }
}

/** Whether that very process of this host runs, and not another that was given its pid. */
export function isProcessRunning({ pid, startTime: start }: Pick<Owner, 'pid' | 'startTime'>): boolean {
  return start === 'unknown' ? isRunning(pid) : startTime(pid) === start
}

/** On the same host: whether that very process runs. Elsewhere: whether it was heard of lately. */
export function isOwnerAlive(owner: SeenOwner, self: Owner, now: number): boolean {
  if (owner.host !== self.host) return owner.seen + foreignOwnerTimeoutMs > now
  return owner.bootId === self.bootId && isProcessRunning(owner)
}

/** Where there is no /proc, hosts are told apart by name alone. */
function bootId(): string {
  return readText('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown'
}

/** When the process started, in clock ticks since boot; undefined where there is none, or it is a corpse. */
function startTime(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The command name, in parentheses, may hold blanks: fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
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

/** Who works on the store, and whether they still live. */
export class Owners {
  readonly #db: SqliteDatabase
  readonly #now: () => number
  readonly #self: Owner
  #id: number | undefined

  constructor(db: SqliteDatabase, now: () => number, self: Owner) {
    this.#db = db
    this.#now = now
    this.#self = self
  }

  /** Makes this process known, before it takes anything. */
  register(): void {
    const { host, bootId: boot, pid, startTime: start } = this.#self
    const row = this.#db
      .prepare<unknown[], { id: number }>(
        'INSERT INTO owner (host, boot, pid, start, seen) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET seen = excluded.seen RETURNING id',
      )
      .get(host, boot, pid, start, this.#now())
    this.#id = row?.id
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

  /** Says that this process lives, for those on other hosts. */
  beat(): void {
    if (this.#id !== undefined) this.#db.prepare('UPDATE owner SET seen = ? WHERE id = ?').run(this.#now(), this.#id)
  }

  isAlive(id: number): boolean {
    if (id === this.#id) return true
    const owner = this.#db.prepare<[number], SeenOwner>(`${selectOwners} WHERE id = ?`).get(id)
    return owner !== undefined && isOwnerAlive(owner, this.#self, this.#now())
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
