import type { Clock } from '../../base/time/clock.js'

/** A clock that only moves when it is told to. */
export interface VirtualClock extends Clock {
  /** Number of scheduled actions. */
  readonly pending: number
  /** Moves time forward, calling due actions in order. Promises settle after each. */
  advance(ms: number): Promise<void>
  /** Moves time from one due action to the next until `promise` settles. */
  runUntil<T>(promise: Promise<T>): Promise<T>
}

export function virtualClock(wallStart = 1_700_000_000_000): VirtualClock {
  let now = 0
  let order = 0
  const due = new Map<number, { at: number; action: () => void }>()

  const next = () => [...due].sort(([a, x], [b, y]) => x.at - y.at || a - b)[0]

  async function step(until: number): Promise<boolean> {
    const entry = next()
    if (entry === undefined || entry[1].at > until) return false
    due.delete(entry[0])
    now = Math.max(now, entry[1].at)
    entry[1].action()
    await settle()
    return true
  }

  return {
    now: () => now,
    wallNow: () => wallStart + now,
    after(ms, action) {
      const id = order++
      due.set(id, { at: now + Math.max(0, ms), action })
      return () => void due.delete(id)
    },
    get pending() {
      return due.size
    },
    async advance(ms) {
      const until = now + ms
      await settle()
      while (await step(until));
      now = until
    },
    async runUntil(promise) {
      const settled = new Set<unknown>()
      const mark = () => void settled.add(promise)
      promise.then(mark, mark)
      for (;;) {
        await settle()
        if (settled.size > 0) return promise
        await step(Infinity)
      }
    },
  }
}

/**
 * Waits some turns of the event loop, so that ready promises and immediates run. A store's commit alone takes sixteen. Pending file operations are
 * awaited.
 */
export async function settle(): Promise<void> {
  for (let quiet = 0; quiet < 25; quiet++) {
    await new Promise<void>(resolve => void setImmediate(resolve))
    if (process.getActiveResourcesInfo().includes('FSReqPromise')) quiet = 0
  }
}
