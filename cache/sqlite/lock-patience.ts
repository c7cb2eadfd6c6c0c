import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from '../../base/errors.js'
import type { Owner } from '../store.js'
import { lockHolder, type LockHolder } from './lock-holder.js'

/** What somebody who waits for a locked store can be told, and may do. */
export interface Waiting {
  /** Is told whom the store waits for, once for each. */
  readonly tell?: ((line: string) => void) | undefined
  /** Ends a wait for the store to open. */
  readonly drain?: AbortSignal | undefined
  /** Ends every wait. */
  readonly stop?: AbortSignal | undefined
}

/** How often a lock of another program's is met before it is told, when a store is opened and later. */
export const tries = { opening: 10, working: 100 }

const pauseMs = 250

export const isLocked = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(systemCode(error) ?? '')

/** The lock of another program, which lasts. */
export class LockedError extends Error {
  readonly code = 'SQLITE_BUSY'
  /** Its name and process, where they are known. */
  readonly program: string | undefined

  constructor(program: string | undefined, options: ErrorOptions) {
    super('the database is locked', options)
    this.program = program
  }
}

/**
 * Patience with locks: without end while the process that holds the lock is one of ours and lives, which may be stopped, or
 * import much; else for so many tries.
 */
export function createPatience(
  dir: string,
  { self, now, tries: limit }: { readonly self: Owner; readonly now: () => number; readonly tries: number },
  { tell, drain, stop }: Waiting = {},
): Patience {
  const signals = [drain, stop].filter(signal => signal !== undefined)
  const signal = signals.length === 0 ? undefined : AbortSignal.any(signals)
  let met = 0
  const told = new Set<number>()
  const look = (): LockHolder => lockHolder(dir, self, now())
  return {
    reset: () => void (met = 0),
    async wait(error) {
      signal?.throwIfAborted()
      const holder = look()
      if ('owner' in holder) {
        met = 0
        if (!told.has(holder.owner.pid)) tell?.(waitsFor(dir, holder.owner, self))
        told.add(holder.owner.pid)
      } else if (++met >= limit) throw new LockedError(holder.program, { cause: error })
      await sleep(pauseMs, undefined, signal && { signal })
    },
  }
}

export interface Patience {
  /** Pauses until it is worth another try. @throws LockedError where it is not, AbortError where nobody waits any more */
  wait(error: unknown): Promise<void>
  /** After success. */
  reset(): void
}

/** Does it, again and again while the database is locked. */
export async function whenUnlocked<T>(patience: Patience, attempt: () => T): Promise<T> {
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isLocked(error)) throw error
      await patience.wait(error)
    }
  }
}

function waitsFor(dir: string, { pid, host }: Owner, self: Owner): string {
  const where = host === self.host ? '' : ` on ${host}`
  return `waiting for process ${pid}${where}, which keeps the store in ${dir} locked: it imports, or is stopped (kill -CONT ${pid} lets it go on)`
}
