import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from '../../../base/errors/errors.js'
import type { Owner } from '../../store.js'
import { lockHolder, type LockHolder } from './lock-holder.js'
import { isStopped, ownerTimeoutMs, uptime as machineUptime } from './owners.js'

/** What somebody who waits for a locked store can be told, and may do. */
export interface LockListener {
  /** Is told whom the store waits for, and once a minute for how long. */
  readonly tell?: ((line: string) => void) | undefined
  /** Ends a wait for the store to open. */
  readonly drain?: AbortSignal | undefined
  /** Ends every wait. */
  readonly stop?: AbortSignal | undefined
}

/** How often a lock of another program's is met before it is told, when a store is opened and later. */
export const tries = { opening: 10, working: 100 }

const pauseMs = 250
const tellEveryMs = 60_000

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
 * Patience with locks: without end while the process that holds the lock is one of ours and works, which may import much; for a
 * minute where it is stopped; else for so many tries.
 */
export function createPatience(
  dir: string,
  {
    self,
    now,
    tries: limit,
    uptime = machineUptime,
  }: {
    readonly self: Owner
    readonly now: () => number
    readonly tries: number
    readonly uptime?: () => number
  },
  { tell, drain, stop }: LockListener = {},
): LockPatience {
  const signals = [drain, stop].filter(signal => signal !== undefined)
  const signal = signals.length === 0 ? undefined : AbortSignal.any(signals)
  let met = 0
  let wait: LockWait | undefined
  const look = (): LockHolder => lockHolder(dir, self, now())
  return {
    reset() {
      met = 0
      wait = undefined
    },
    async wait(error) {
      signal?.throwIfAborted()
      const holder = look()
      if ('owner' in holder) {
        met = 0
        wait = waitFurther(wait, { dir, holder: holder.owner, self, now: uptime(), tell })
        if (wait.stoppedMs >= ownerTimeoutMs) throw new LockedError(stoppedProgram(holder.owner.pid), { cause: error })
      } else if (++met >= limit) throw new LockedError(holder.program, { cause: error })
      await sleep(pauseMs, undefined, signal && { signal })
    },
  }
}

export interface LockPatience {
  /** Pauses until it is worth another try. @throws LockedError where it is not, AbortError where nobody waits any more */
  wait(error: unknown): Promise<void>
  /** After success. */
  reset(): void
}

/** Does it, again and again while the database is locked. */
export async function whenUnlocked<T>(patience: LockPatience, attempt: () => T): Promise<T> {
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isLocked(error)) throw error
      await patience.wait(error)
    }
  }
}

/** A wait for one process. Milliseconds of the machine's monotonic clock. */
interface LockWait {
  readonly pid: number
  readonly since: number
  readonly toldAt: number
  readonly stoppedSince: number | undefined
  readonly stoppedMs: number
}

/** Goes on waiting, and tells for whom at its beginning and then once a minute. */
function waitFurther(
  before: LockWait | undefined,
  by: {
    readonly dir: string
    readonly holder: Owner
    readonly self: Owner
    readonly now: number
    readonly tell: LockListener['tell']
  },
): LockWait {
  const { holder, self, now, tell } = by
  const { pid } = holder
  const known = before?.pid === pid ? before : undefined
  const since = known?.since ?? now
  const isDue = known === undefined || now - known.toldAt >= tellEveryMs
  if (isDue) tell?.(waitsFor(by, now - since))
  const isHeldUp = holder.host === self.host && isStopped(pid)
  const stoppedSince = isHeldUp ? (known?.stoppedSince ?? now) : undefined
  return {
    pid,
    since,
    toldAt: isDue ? now : known.toldAt,
    stoppedSince,
    stoppedMs: stoppedSince === undefined ? 0 : now - stoppedSince,
  }
}

const stoppedProgram = (pid: number): string =>
  `process ${pid} of this program, which is stopped: kill -CONT ${pid} lets it go on`

function waitsFor(
  { dir, holder: { pid, host }, self }: { readonly dir: string; readonly holder: Owner; readonly self: Owner },
  waitedMs: number,
): string {
  const where = host === self.host ? '' : ` on ${host}`
  const waited = waitedMs < tellEveryMs ? '' : ` (for ${Math.round(waitedMs / 60_000)} min now)`
  return `waiting for process ${pid}${where}, which keeps the store in ${dir} locked${waited}: it imports, or is stopped (kill -CONT ${pid} lets it go on)`
}
