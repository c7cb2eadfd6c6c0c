import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { runCli, startCli, type Ended } from './cli.js'
import { between } from './seeded.js'

/** A moment to kill a process: a number of milliseconds after something was observed from outside. */
export interface Moment {
  readonly name: string
  /** Called when the process starts. The function that it returns is polled until it returns true. */
  readonly watch: () => () => boolean | Promise<boolean>
  readonly delayMs: number
}

/** Makes a moment up to `spreadMs` after `isReached`. */
export const moment = (
  name: string,
  random: () => number,
  { spreadMs, watch }: { readonly spreadMs: number; readonly watch: Moment['watch'] },
): Moment => ({ name, watch, delayMs: between(random, 0, spreadMs) })

export interface Life extends Ended {
  readonly wasKilled: boolean
  readonly pid: number
}

/** Runs a command line until it ends, or until its moment comes. Then it is killed with SIGKILL, without a chance to clean up. */
export async function live(args: readonly string[], { watch, delayMs }: Moment): Promise<Life> {
  const isReached = watch()
  const { child, ended } = startCli(args)
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null
  while (!hasExited() && !(await isReached())) await sleep(1)
  if (!hasExited()) {
    if (delayMs > 0) await Promise.race([sleep(delayMs), ended])
    child.kill('SIGKILL')
  }
  const end = await ended
  return { ...end, wasKilled: end.signal === 'SIGKILL', pid: child.pid ?? 0 }
}

export interface Crashes {
  readonly killed: number
  /** Number of kills by the moment's name. */
  readonly kills: Readonly<Record<string, number>>
}

/**
 * Runs the same command line again and again, killing it at each of the moments, and then lets it finish.
 *
 * @returns how often it was killed. A run that finished before its moment does not count
 */
export async function crashAgainAndAgain(
  args: readonly string[],
  moments: readonly Moment[],
  hooks: { readonly onLife?: () => void | Promise<void>; readonly onKilled?: () => void | Promise<void> } = {},
): Promise<Crashes> {
  const kills: Record<string, number> = {}
  let killed = 0
  for (const one of moments) {
    await hooks.onLife?.()
    const life = await live(args, one)
    if (life.wasKilled) {
      killed += 1
      kills[one.name] = (kills[one.name] ?? 0) + 1
      await hooks.onKilled?.()
    } else expect(life, `the line that was to die at ${one.name}`).toMatchObject({ code: 0 })
  }
  await hooks.onLife?.()
  expect(await runCli(args)).toMatchObject({ code: 0 })
  return { killed, kills }
}

/** What was asked and committed when a process began. */
export interface LifeBegun {
  /** The number of requests that the server had received. */
  readonly from: number
  /** The texts of the committed answers. */
  readonly committed: ReadonlySet<string>
}

/**
 * Checks that no request was sent again whose answer was committed, and that each killed process left at most `concurrency` requests in flight.
 *
 * @param log the texts of the answers to all requests, in the order of arrival
 * @returns the number of requests that were in flight
 */
export function expectNothingAskedAgain(
  lives: readonly LifeBegun[],
  {
    log,
    committed,
    concurrency,
  }: { readonly log: readonly string[]; readonly committed: ReadonlySet<string>; readonly concurrency: number },
): number {
  let lost = 0
  for (const [index, life] of lives.entries()) {
    const next = lives[index + 1] ?? { from: log.length, committed }
    const asked = log.slice(life.from, next.from)
    expect(
      asked.filter(text => life.committed.has(text)),
      `asked again in life ${index}`,
    ).toEqual([])
    const inFlight = asked.filter(text => !next.committed.has(text)).length
    expect(inFlight, `in flight when life ${index} ended`).toBeLessThanOrEqual(concurrency)
    lost += inFlight
  }
  return lost
}

/** Dumps the outcome of the newest run of a store. */
export async function dumpOf(store: string): Promise<string> {
  const { code, stdout, stderr } = await runCli(['report', 'last', '--dump', '--store', store])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

/** Verifies that every record and medium of a store is undamaged. */
export async function expectSound(store: string): Promise<void> {
  expect(await runCli(['cache', 'verify', '--quiet', '--store', store])).toMatchObject({ code: 0, stdout: '' })
}
