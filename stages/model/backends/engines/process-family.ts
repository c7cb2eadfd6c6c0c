import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from '../../../../base/errors.js'

/** A program and all that it started, however far apart. */
export interface Family {
  /** The process group that the program leads. */
  readonly group: number
  /** `NAME=value` in the environment of each of them: what leaves the group keeps that. */
  readonly mark: string
}

const pollMs = 50

/** Ends a family: asks it to, and after `graceMs` milliseconds ends those that are left. */
export async function endFamily(family: Family, graceMs: number): Promise<void> {
  await signalFamily(family, 'SIGTERM')
  for (let waited = 0; waited < graceMs && (await isAlive(family)); waited += pollMs) await sleep(pollMs)
  await signalFamily(family, 'SIGKILL')
}

async function signalFamily(family: Family, signal: NodeJS.Signals): Promise<void> {
  send(-family.group, signal)
  for (const pid of (await members(family)) ?? []) send(pid, signal)
}

async function isAlive(family: Family): Promise<boolean> {
  const pids = await members(family)
  return pids === undefined ? send(-family.group, 0) : pids.length > 0
}

/** Those that still run; undefined where the system does not tell (it has no `/proc`). */
async function members({ group, mark }: Family): Promise<readonly number[] | undefined> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.map(Number).filter(Number.isInteger)
  if (pids.length === 0) return undefined
  const isMember = await Promise.all(
    pids.map(async pid => {
      const [stat, environment] = await Promise.all([procFile(pid, 'stat'), procFile(pid, 'environ')])
      // After the program's name, which may hold anything: state, parent, group.
      const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return state !== 'Z' && (Number(pgrp) === group || environment.split('\0').includes(mark))
    }),
  )
  return pids.filter((_, index) => isMember[index])
}

/** Empty where the process has ended, or is another user's. */
const procFile = (pid: number, name: string): Promise<string> =>
  readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')

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
