/** Facts about the processes that work on a store and about its queue, for all surfaces. */
import type { JobStage, Store, WorkingProcess } from '../../../cache/store.js'

/** Heartbeats come every 15 seconds, so that two of them are missing after this time, in milliseconds. */
const silentFromMs = 30_000

/** A process that works on runs or jobs. */
export interface WorkerFacts extends WorkingProcess {
  /** True if the process was silent for 30 seconds or has died. Other processes take over its leases after at most a minute. */
  readonly isStale: boolean
  /** The names of its runs. Runs on which no living process works have none. */
  readonly runNames: readonly string[]
}

/** Jobs that wait. */
export interface QueueFacts {
  readonly jobs: number
  /** Milliseconds since the oldest of them was submitted. Undefined if none waits. */
  readonly oldestMs?: number
  /** The number of them by the stage that comes next. */
  readonly byStage: Readonly<Partial<Record<JobStage, number>>>
  /** The first jobs that workers left to others, with each reason. Another worker may still take them. */
  readonly declined: readonly DeclinedJob[]
}

/** A queued job that the workers which looked at it cannot do. */
export interface DeclinedJob {
  readonly id: string
  readonly why: readonly string[]
}

/** Jobs at the front of the queue that are looked at. Jobs that nobody takes end up there. */
const mostLookedAt = 10

/** Finds jobs that workers left to others. */
export async function readDeclinedJobs({ jobs }: { readonly jobs: QueueReader }): Promise<readonly DeclinedJob[]> {
  const declinedJobs: DeclinedJob[] = []
  for (const id of await jobs.queue(mostLookedAt)) {
    const why = await jobs.declines(id)
    if (why.length > 0) declinedJobs.push({ id, why })
  }
  return declinedJobs
}

type QueueReader = Pick<Store['jobs'], 'queue' | 'declines'>

/** The work on a store at one moment. */
export interface WorkFacts {
  readonly workers: readonly WorkerFacts[]
  readonly queue: QueueFacts
}

/** @param now milliseconds since 1970 */
export async function readWork(
  {
    runs,
    jobs,
  }: {
    readonly runs: Pick<Store['runs'], 'workers' | 'workedOn'>
    readonly jobs: QueueReader & Pick<Store['jobs'], 'waiting'>
  },
  now: number,
): Promise<WorkFacts> {
  const [processes, waiting] = [await runs.workers(), await jobs.waiting()]
  const declined = waiting.length === 0 ? [] : await readDeclinedJobs({ jobs })
  const names =
    processes.length === 0
      ? new Map<number, string>()
      : new Map((await runs.workedOn()).map(run => [run.ref, run.name]))
  return {
    workers: processes.map(worker => {
      const isStale = !worker.isAlive || worker.silentMs >= silentFromMs
      // The last rate of a silent process is out of date.
      const perSecond = isStale ? 0 : worker.perSecond
      return { ...worker, perSecond, isStale, runNames: worker.runs.flatMap(ref => names.get(ref) ?? []) }
    }),
    queue: {
      jobs: waiting.reduce((sum, group) => sum + group.jobs, 0),
      declined,
      byStage: Object.fromEntries(waiting.map(({ stage, jobs: count }) => [stage, count])),
      ...(waiting.length > 0 && { oldestMs: Math.max(0, now - Math.min(...waiting.map(({ since }) => since))) }),
    },
  }
}
