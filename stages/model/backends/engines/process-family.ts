import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from '../../../../base/errors/errors.js'

/** A program and all processes that it started directly or indirectly. */
export interface Family {
  /** The process group that the program leads. */
  readonly group: number
  /** `NAME=value` in the environment of each process. A process that leaves the group keeps it. */
  readonly mark: string
}

const pollMs = 50
/** The time that the system may take to end a killed process. */
const killMs = 10_000

/** Ends a family: asks all processes to end, kills the rest after `graceMs` milliseconds. Resolves when none is left. */
export async function endFamily(family: Family, graceMs: number): Promise<void> {
  signalFamily(family, 'SIGTERM')
  const grace = AbortSignal.timeout(graceMs)
  while (!grace.aborted && isAlive(family)) await sleep(pollMs)
  const enough = AbortSignal.timeout(killMs)
  do {
    // The list is read again each time, because a process may have started another one.
    signalFamily(family, 'SIGKILL')
    if (!isAlive(family)) return
    await sleep(pollMs)
  } while (!enough.aborted)
}

function signalFamily(family: Family, signal: NodeJS.Signals): void {
  send(-family.group, signal)
  for (const pid of members(family) ?? []) send(pid, signal)
}

function isAlive(family: Family): boolean {
  const pids = members(family)
  return pids === undefined ? send(-family.group, 0) : pids.length > 0
}

/** Lists the running processes. Undefined if the system has no `/proc`. */
function members({ group, mark }: Family): readonly number[] | undefined {
  if (!existsSync('/proc/self/stat')) return undefined
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .filter(pid => {
      // The process name may hold any character, so fields are read behind it: state, parent, group.
      const stat = procFile(pid, 'stat')
      const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return state !== 'Z' && (Number(pgrp) === group || procFile(pid, 'environ').split('\0').includes(mark))
    })
}

/** Returns an empty text if the process has ended, or belongs to another user. */
function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** @returns whether a process received the signal */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (systemCode(error) === 'ESRCH') return false
    // The process exists but belongs to another user, so it is not ours to end.
    if (systemCode(error) === 'EPERM') return true
    throw error
  }
}
