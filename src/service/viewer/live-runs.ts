/** Watches for changes of runs by any process. */
import type { RunMoved } from '../../present/page/data/index.js'
import { pause } from '../../../base/time/pause.js'
import { realClock } from '../../clock.js'
import type { Service } from '../service.js'
import type { Pages } from './pages.js'

/** Receives the changes of runs. */
export interface LiveListener {
  readonly runs: (moved: readonly RunMoved[]) => void
  readonly list: () => void
  readonly jobs: () => void
}

/** The shortest time between two looks at the store, in milliseconds. */
const leastMs = 1000
/** The minimum time between two checks, as a multiple of a check's duration. Counting a large run takes long. */
const restFactor = 10

/** Checks the store once for all listeners, and not at all without listeners. */
export class LiveRuns {
  readonly #service: Pick<Service, 'changes' | 'log'>
  readonly #pages: Pick<Pages, 'moving' | 'list' | 'jobs'>
  readonly #listeners = new Set<LiveListener>()
  #stop: AbortController | undefined

  constructor(service: Pick<Service, 'changes' | 'log'>, pages: Pick<Pages, 'moving' | 'list' | 'jobs'>) {
    this.#service = service
    this.#pages = pages
  }

  /** @returns ends the subscription */
  subscribe(listener: LiveListener): () => void {
    this.#listeners.add(listener)
    if (this.#stop === undefined) {
      this.#stop = new AbortController()
      void this.#watch(this.#stop.signal)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stop?.abort()
      this.#stop = undefined
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    let lastLook: LiveState | undefined
    let rest = leastMs
    while (!signal.aborted) {
      const began = performance.now()
      try {
        lastLook = await this.#look(lastLook)
      } catch (error) {
        this.#service.log(`the viewer cannot look at the runs: ${String(error)}`)
      }
      rest = Math.max(leastMs, (performance.now() - began) * restFactor)
      // A check also happens after this time without a commit, because a killed process commits nothing.
      const change = this.#service.changes.next(Math.max(idleMs, rest), signal)
      await Promise.all([change, pause(rest, realClock, [signal])])
    }
  }

  async #look(before: LiveState | undefined): Promise<LiveState> {
    const [list, jobs, runs] = [
      await this.#pages.list(),
      await this.#pages.jobs(),
      await this.#pages.moving(before?.runs),
    ]
    const now = { list, jobs, runs }
    // Changes between the page's load and the first check are unknown, so all active runs are reported.
    const moved = [...runs.values()].filter(run => formatRun(before?.runs.get(run.name)) !== formatRun(run))
    for (const listener of this.#listeners) {
      if (before !== undefined && before.list !== list) listener.list()
      if (before !== undefined && before.jobs !== jobs) listener.jobs()
      if (moved.length > 0) listener.runs(moved)
    }
    return now
  }
}

interface LiveState {
  readonly list: string
  readonly jobs: string
  readonly runs: ReadonlyMap<string, RunMoved>
}

/** The time for which the store is not read while nothing is committed, in milliseconds. */
const idleMs = 5000

const formatRun = (run: RunMoved | undefined): string => JSON.stringify(run)
