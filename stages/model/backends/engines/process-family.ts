import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from '../../../../base/errors/errors.js'

/** A program and all that it started, however far apart. */
export interface Family {
  /** The process group that the program leads. */
  readonly group: number
  /** `NAME=value` in the environment of each of them: what leaves the group keeps that. */
  readonly mark: string
}

const pollMs = 50
/** How long the system may take to end what was killed. */
const killMs = 10_000

/** Ends a family: asks it to, after `graceMs` milliseconds ends those that are left, and resolves when none runs any more. */
export async function endFamily(family: Family, graceMs: number): Promise<void> {
  signalFamily(family, 'SIGTERM')
  const grace = AbortSignal.timeout(graceMs)
  while (!grace.aborted && isAlive(family)) await sleep(pollMs)
  const enough = AbortSignal.timeout(killMs)
  do {
    // Again each time: one that was about to start another may have done so.
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

/** Those that still run; undefined where the system does not tell (it has no `/proc`). */
function members({ group, mark }: Family): readonly number[] | undefined {
  if (!existsSync('/proc/self/stat')) return undefined
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .filter(pid => {
      // After the program's name, which may hold anything: state, parent, group.
      const stat = procFile(pid, 'stat')
      const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return state !== 'Z' && (Number(pgrp) === group || procFile(pid, 'environ').split('\0').includes(mark))
    })
}

/** Empty where the process has ended, or is another user's. */
function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** @returns whether there was anybody to receive it */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (systemCode(error) === 'ESRCH') return false
    // Another user's by now: there, but not ours to end.
    if (systemCode(error) === 'EPERM') return true
    throw error
  }
}
