/** A worker takes jobs from the store, one at a time, until it is told to stop. */
import type { PortableStore } from '../../../cache/bundle/portable.js'
import type { ClaimLimits, Job, Store } from '../../../cache/store.js'
import type { RunUsage } from './model-usage.js'
import type { JobEnd } from './job-stages.js'
import { LeftJobs } from './left-jobs.js'
import { runJob, type JobSurroundings } from './run-job.js'
import { findRefusal } from '../policy/job-settings.js'
import { pause } from '../../../base/time/pause.js'
import { realClock } from '../../clock.js'

/** Settings of one worker. */
export interface WorkerSettings extends JobSurroundings {
  readonly limits: ClaimLimits
  /** The worker ends when it had no job for so long, in milliseconds. @default never */
  readonly idleMs?: number
  /** The worker ends after so many jobs, which bounds what it can leak. @default no limit */
  readonly maxJobs?: number
  /** Is called when the worker takes a job, and when it waits for one. */
  readonly onState?: (state: WorkerState) => void
  readonly onEnd?: (job: string, how: JobEnd) => void | Promise<void>
}

/** `damaged` and `left` tell of a job that the worker skipped; it is still waiting for another one then. */
export type WorkerState =
  | { readonly state: 'busy' | 'damaged'; readonly job: string }
  | { readonly state: 'left'; readonly job: string; readonly why: string }
  | { readonly state: 'idle' }

/** Tells the server what a job used. */
export interface WorkerUsage {
  readonly state: 'usage'
  readonly usage: RunUsage
}

/** Tells the server from time to time that the worker is not stopped. */
export interface WorkerSign {
  readonly state: 'alive'
}

/** Says for a log that no worker can take a job. */
export const damagedJobText = (job: string): string =>
  `job ${job} is damaged, so workers skip it. Repair the store: pipeline cache verify --repair`

/** Says for a log that a worker leaves a job to others. */
export const leftJobText = (job: string, why: string): string =>
  `job ${job} is left to other workers, since this one cannot do it. ${why}`

/** The interval in which a waiting worker asks whether the store has changed; this is cheap. */
const lookMs = 100
/** The interval in which a waiting worker looks for jobs whose process is gone, which changes nothing in the store. */
const takeoverMs = 2000

/** Works until `shutdown`, or until it was idle for long. Jobs that it then has go back into the queue. */
export async function work(store: Store & PortableStore, settings: WorkerSettings): Promise<void> {
  const { shutdown, now, idleMs = Infinity, maxJobs = Infinity } = settings
  const damaged = new Set<string>()
  const tellOnce = (job: string): void => {
    if (damaged.has(job)) return
    damaged.add(job)
    settings.onState?.({ state: 'damaged', job })
  }
  let idleSince = now()
  /** The last request that was looked at and may be taken, so that the many jobs of one run are looked at once. */
  let allowed: string | undefined
  const leftJobs = new LeftJobs(store)
  const leave = async (job: string, why: string): Promise<void> => {
    await leftJobs.add(job)
    settings.onState?.({ state: 'left', job, why })
    // Looking at jobs is work, so that a slow machine looks at all of them.
    idleSince = now()
  }
  let done = 0
  settings.onState?.({ state: 'idle' })
  while (!shutdown.aborted && done < maxJobs && now() - idleSince < idleMs) {
    const version = await store.dataVersion()
    const unknown: Job[] = []
    const lease = await store.jobs.claim({
      ...settings.limits,
      ...(settings.stages && { stages: settings.stages }),
      skipped: leftJobs.ids,
      // A job is looked at before it is taken, so that one which this worker cannot do stays as it is.
      mayTake(job) {
        if (JSON.stringify(job.request) === allowed) return true
        unknown.push(job)
        return false
      },
      onDamaged: tellOnce,
    })
    for (const job of unknown) {
      const why = await findRefusal(job, settings)
      if (why === undefined) allowed = JSON.stringify(job.request)
      else {
        await store.jobs.decline(job.id, why)
        await leave(job.id, why)
      }
    }
    if (unknown.length > 0) continue
    if (lease === undefined) {
      await awaitChange(store, version, { shutdown, now })
      continue
    }
    settings.onState?.({ state: 'busy', job: lease.job.id })
    // This is not an argument of the call below, which would run no job if `onEnd` is absent.
    const end = await runJob(store, lease, settings)
    if (end.how === 'left') await leave(lease.job.id, end.why)
    else {
      await settings.onEnd?.(lease.job.id, end.how)
      done += 1
      idleSince = now()
    }
    settings.onState?.({ state: 'idle' })
  }
}

/** Resolves when another process has committed, when it is time to look for orphaned jobs, or at shutdown. */
async function awaitChange(
  store: Store,
  version: number,
  { shutdown, now }: Pick<WorkerSettings, 'shutdown' | 'now'>,
): Promise<void> {
  const until = now() + takeoverMs
  while (!shutdown.aborted && now() < until && (await store.dataVersion()) === version)
    await pause(lookMs, realClock, [shutdown])
}
