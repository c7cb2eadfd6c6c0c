/** Checks that a service can do its work: its store, its disk and its workers. */
import { waitOutside, WaitLimitError } from '../../base/time/outside-wait.js'
import { PipelineError } from '../../base/errors/errors.js'
import type { Store } from '../../cache/store.js'
import { formatQuantity } from '../../base/text/numbers.js'
import { readDeclinedJobs } from '../reading/workers/work-facts.js'
import type { WorkersState } from './jobs/worker-pool.js'

/** The result of a health check. */
export interface Health {
  /** `degraded`: it works, and somebody should look. `unhealthy`: jobs are not taken, or not done. */
  readonly status: 'healthy' | 'degraded' | 'unhealthy'
  /** The problems and their remedies. They name no path, because `/health` needs no token. */
  readonly problems: readonly string[]
  readonly queued: number
  readonly running: number
  /** Seconds since the oldest queued job was submitted. */
  readonly oldestQueuedSeconds?: number
  readonly workers: WorkersState
  /** Absent if the system does not report it. */
  readonly diskFreeBytes?: number
}

/** Free space below which a person should look, in bytes. */
const lowDisk = 256 * 2 ** 20
/** The time that jobs may wait without a free worker before a person should look, in milliseconds. */
const longWaitMs = 600_000
/** The time for which a probe's result is reused, in milliseconds. */
const freshMs = 5000
/** An answer does not wait longer for the probe, in milliseconds. */
const probeMs = 3000

/** Checks whether the store is writable. Concurrent callers share one probe. */
export class StoreProbe {
  readonly #store: Pick<Store, 'probe'>
  readonly #now: () => number
  #last: { readonly problem: string | undefined; readonly at: number } | undefined
  #running: { readonly done: Promise<string | undefined>; readonly since: number } | undefined

  /** @param now monotonic milliseconds */
  constructor(store: Pick<Store, 'probe'>, now: () => number = () => performance.now()) {
    this.#store = store
    this.#now = now
  }

  /** @returns why the store takes no writes; undefined if it does */
  async problem(): Promise<string | undefined> {
    if (this.#last !== undefined && this.#now() - this.#last.at < freshMs) return this.#last.problem
    this.#running ??= { done: this.#probe(), since: this.#now() }
    const { done, since } = this.#running
    return waitOutside(() => done, { what: 'a write', limitMs: probeMs }).catch((error: unknown) => {
      if (!(error instanceof WaitLimitError)) throw error
      return `the store has not taken a write for ${Math.round((this.#now() - since) / 1000)} s`
    })
  }

  async #probe(): Promise<string | undefined> {
    const problem = await this.#store.probe().then(() => undefined, storeProblem)
    this.#last = { problem, at: this.#now() }
    this.#running = undefined
    return problem
  }
}

/** Describes a problem of the store without its path. */
export function storeProblem(error: unknown): string {
  const reason = error instanceof PipelineError ? error.reason : undefined
  if (reason === 'store-full') return 'no space left on the disk of the store; jobs continue when there is some'
  if (reason === 'store-unsynced')
    return 'the disk of the store did not confirm what was written: free space on it or repair it, then restart the service'
  if (reason === 'store-locked') return 'the store is locked by another process; the log of the server names it'
  return 'the store cannot be used now; the log of the server says why'
}

/** @throws PipelineError (store) if the store cannot be read */
export async function readHealth(service: {
  readonly store: Pick<Store, 'jobs'> & { readonly upkeep: Pick<Store['upkeep'], 'freeBytes'> }
  readonly probe: StoreProbe
  readonly workers: () => WorkersState
}): Promise<Health> {
  const { store, probe } = service
  const workers = service.workers()
  const [unwritable, { queued, running }, waiting, diskFreeBytes] = await Promise.all([
    probe.problem(),
    store.jobs.counts(),
    store.jobs.waiting(),
    store.upkeep.freeBytes(),
  ])
  const oldestMs = waiting.length === 0 ? 0 : Date.now() - Math.min(...waiting.map(({ since }) => since))
  const declined = oldestMs >= longWaitMs ? await readDeclinedJobs(store) : []
  const broken = [
    ...(unwritable === undefined ? [] : [unwritable]),
    ...(workers.failure === undefined ? [] : ['workers end again and again; the log of the server says why']),
  ]
  const noneFreeMs = workers.noneFreeMs ?? 0
  const warnings = [
    ...(diskFreeBytes !== undefined && diskFreeBytes < lowDisk
      ? [`${Math.floor(diskFreeBytes / 2 ** 20)} MiB are left on the disk of the store`]
      : []),
    ...(noneFreeMs >= longWaitMs
      ? [`no worker was free for ${Math.floor(noneFreeMs / 60_000)} min; ${queued} jobs wait (--max-jobs)`]
      : []),
    ...(declined.length > 0
      ? [
          `the oldest job waits for ${Math.floor(oldestMs / 60_000)} min, and workers left ${formatQuantity(declined.length, 'job')} to others; declined_because of the job says why`,
        ]
      : []),
  ]
  return {
    status: broken.length > 0 ? 'unhealthy' : warnings.length > 0 ? 'degraded' : 'healthy',
    problems: [...broken, ...warnings],
    queued,
    running,
    ...(waiting.length > 0 && {
      oldestQueuedSeconds: Math.max(0, oldestMs / 1000),
    }),
    workers,
    ...(diskFreeBytes !== undefined && { diskFreeBytes }),
  }
}
