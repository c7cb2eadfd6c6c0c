import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from '../../../base/errors/errors.js'
import type { Owner } from '../../store.js'
import type { LockListener } from '../../store/opening.js'
import { lockHolder, type LockHolder } from './lock-holder.js'
import { isStopped } from '../../../base/processes/process-identity.js'
import { ownerTimeoutMs, uptime as machineUptime } from './owners.js'

/** The number of attempts before another program's lock is reported, at opening and later. */
export const tries = { opening: 10, working: 100 }

const longestPauseMs = 250
/** The first pause of a process among others that write, whose transactions take about as long. Each further pause takes twice as long. */
export const shortPauseMs = 10
const tellEveryMs = 60_000

/** Returns whether an error means that another process holds a lock. */
export const isLocked = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(systemCode(error) ?? '')

/** The error for a lock that another program holds for long. */
export class LockedError extends Error {
  readonly code = 'SQLITE_BUSY'
  /** The other program's name and process id, if they are known. */
  readonly program: string | undefined

  constructor(program: string | undefined, options: ErrorOptions) {
    super('the database is locked', options)
    this.program = program
  }
}

/**
 * Creates the patience with locks. It waits without limit for a running process of this program, which may import a
 * large bundle. It waits a minute for a stopped process, and a number of attempts for any other holder.
 */
export function createPatience(
  dir: string,
  {
    self,
    now,
    tries: limit,
    firstPauseMs = longestPauseMs,
    uptime = machineUptime,
  }: {
    readonly self: Owner
    readonly now: () => number
    readonly tries: number
    /** Nobody is asked who holds the lock before the pauses have reached their maximum. */
    readonly firstPauseMs?: number
    readonly uptime?: () => number
  },
  { tell, drain, stop, limitMs = Infinity }: LockListener = {},
): LockPatience {
  const signals = [drain, stop].filter(signal => signal !== undefined)
  const either = signals.length === 0 ? undefined : AbortSignal.any(signals)
  let met = 0
  let pause = firstPauseMs
  let wait: LockWait | undefined
  let since: number | undefined
  const isOver = (): boolean => {
    const time = uptime()
    since ??= time
    return time - since >= limitMs
  }
  const look = (): LockHolder => lockHolder(dir, self, now())
  return {
    reset() {
      met = 0
      pause = firstPauseMs
      wait = undefined
      since = undefined
    },
    async wait(error, { holdsAnswers = false } = {}) {
      const signal = holdsAnswers ? stop : either
      signal?.throwIfAborted()
      if (pause < longestPauseMs && limitMs === Infinity) {
        await sleep(pause, undefined, signal && { signal })
        pause *= 2
        return
      }
      const holder = look()
      if (limitMs !== Infinity && isOver()) throw new LockedError(describeProgram(holder), { cause: error })
      if ('owner' in holder) {
        met = 0
        wait = waitFurther(wait, { dir, holder: holder.owner, self, now: uptime(), tell })
        if (wait.stoppedMs >= ownerTimeoutMs) throw new LockedError(stoppedProgram(holder.owner.pid), { cause: error })
      } else if (++met >= limit) throw new LockedError(holder.program, { cause: error })
      await sleep(longestPauseMs, undefined, signal && { signal })
    },
  }
}

const describeProgram = (holder: LockHolder): string | undefined =>
  'owner' in holder ? `process ${holder.owner.pid} of this program` : holder.program

/** Waits between attempts while another process holds the lock, up to a limit. */
export interface LockPatience {
  /**
   * Pauses before the next attempt.
   *
   * @param options.holdsAnswers true if the work may hold answers that are lost with it. Only `stop` ends such a wait. @default false
   * @throws LockedError when patience ends, AbortError if the wait was aborted
   */
  wait(error: unknown, options?: { readonly holdsAnswers?: boolean }): Promise<void>
  /** Resets the patience after a success. */
  reset(): void
}

/** Repeats the attempt while the database is locked. */
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

/** The wait for one process. Times are milliseconds of the machine's monotonic clock. */
interface LockWait {
  readonly pid: number
  readonly since: number
  readonly toldAt: number
  readonly stoppedSince: number | undefined
  readonly stoppedMs: number
}

/** Continues the wait. It names the holder at the start, then once a minute. */
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
  const earlierWait = before?.pid === pid ? before : undefined
  const since = earlierWait?.since ?? now
  const isDue = earlierWait === undefined || now - earlierWait.toldAt >= tellEveryMs
  const isHeldUp = holder.host === self.host && isStopped(pid)
  if (isDue) tell?.(waitsFor(by, { waitedMs: now - since, isHeldUp }))
  const stoppedSince = isHeldUp ? (earlierWait?.stoppedSince ?? now) : undefined
  return {
    pid,
    since,
    toldAt: isDue ? now : earlierWait.toldAt,
    stoppedSince,
    stoppedMs: stoppedSince === undefined ? 0 : now - stoppedSince,
  }
}

const stoppedProgram = (pid: number): string =>
  `process ${pid} of this program, which is stopped: kill -CONT ${pid} lets it continue`

function waitsFor(
  { dir, holder: { pid, host }, self }: { readonly dir: string; readonly holder: Owner; readonly self: Owner },
  { waitedMs, isHeldUp }: { readonly waitedMs: number; readonly isHeldUp: boolean },
): string {
  const where = host === self.host ? '' : ` on ${host}`
  const waited = waitedMs < tellEveryMs ? '' : ` (for ${Math.round(waitedMs / 60_000)} min now)`
  const why = isHeldUp
    ? `it is stopped (kill -CONT ${pid} lets it continue)`
    : 'it is at work on one long change, such as an import, an upgrade or a removal'
  return `waiting for process ${pid}${where}, which keeps the store in ${dir} locked${waited}: ${why}`
}
