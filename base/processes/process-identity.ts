/** Computes identities of processes, which distinguish a later process with the same pid. */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process of a machine. */
export interface ProcessIdentity {
  readonly host: string
  readonly bootId: string
  readonly pid: number
  /** The start time as the system counts it. It distinguishes processes with the same pid. */
  readonly startTime: string
}

/** The boot id without /proc. Hosts are then distinguished by name only. */
export const unknownBoot = 'unknown'

/** Identifies a process of this host. The start time distinguishes it from earlier processes with the same pid. */
export function processOwner(pid: number): ProcessIdentity {
  return { host: hostname(), bootId: bootId(), pid, startTime: startTime(pid) ?? 'unknown' }
}

/** Identifies the current process. */
export const thisProcess = (): ProcessIdentity => processOwner(process.pid)

/** Tells whether this very process of this host runs, and not a later one with the same pid. */
export function isProcessRunning({ pid, startTime: start }: Pick<ProcessIdentity, 'pid' | 'startTime'>): boolean {
  return start === 'unknown' ? isRunning(pid) : startTime(pid) === start
}

function bootId(): string {
  return readText('/proc/sys/kernel/random/boot_id')?.trim() ?? unknownBoot
}

/** Tells whether a signal has stopped a process. Only Linux provides this. */
export const isStopped = (pid: number): boolean => ['T', 't'].includes(readProcessStat(pid)?.[0] ?? '')

/** Reads the fields of /proc/PID/stat behind the process name, of which the first is the state. @returns undefined if absent */
function readProcessStat(pid: number): readonly string[] | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  // The command name in parentheses may contain blanks, so fields are counted from behind it.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Reads the start time in clock ticks since boot. @returns undefined if there is no such process, or if it is a zombie */
function startTime(pid: number): string | undefined {
  const fields = readProcessStat(pid)
  if (fields === undefined) return undefined
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
}

/** @returns undefined if the file cannot be read */
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
    // EPERM means that it runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
