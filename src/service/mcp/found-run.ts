/** Finds the job, the run, or both that the `run_id` of an agent names. */
import { PipelineError } from '../../../base/errors/errors.js'
import type { RunKey } from '../../../cache/digest.js'
import { isSettled } from '../../../cache/facts/run-state.js'
import type { Job, JobStatus, OpenedRun } from '../../../cache/store.js'
import { openRun } from '../../reading/runs/run-reference.js'
import type { Service } from '../service.js'

/** The job or run that a `run_id` names. A queued job has no run yet. A run of the command line has no job. */
export type FoundRun =
  { readonly job: Job; readonly opened?: OpenedRun } | { readonly job?: undefined; readonly opened: OpenedRun }

const jobId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** The number of recent jobs that are searched for the job of a run. */
const recentJobs = 200

/**
 * Finds a job by its id, or a run by its name, id or `last`.
 *
 * @throws PipelineError (usage) if there is neither
 */
export async function foundRun({ store }: Pick<Service, 'store'>, id: string): Promise<FoundRun> {
  const job = jobId.test(id) ? await store.jobs.find(id.toLowerCase()) : undefined
  if (job !== undefined) return withRun(store, job)
  if (jobId.test(id))
    throw new PipelineError('usage', `there is no run "${id}"; evaluate returns the run_id of a new one`)
  const opened = await openRun(store, id)
  const recent = await store.jobs.list({ limit: recentJobs })
  const own = recent.find(({ run }) => run === opened.run.id)
  return own === undefined ? { opened } : { job: own, opened }
}

async function withRun(store: Service['store'], job: Job): Promise<FoundRun> {
  // The run may have been removed since.
  const isThere = job.run !== undefined && (await store.runs.find(job.run as RunKey)) !== undefined
  return isThere ? { job, opened: await openRun(store, job.run ?? '') } : { job }
}

/** Finds the run of a `run_id`. @throws PipelineError (usage) if a job has not started yet */
export async function startedRun(service: Pick<Service, 'store'>, id: string): Promise<OpenedRun> {
  const evaluation = await foundRun(service, id)
  if (evaluation.job === undefined) return evaluation.opened
  if (evaluation.opened !== undefined) return evaluation.opened
  throw new PipelineError(
    'usage',
    `run ${id} has no docs yet: it is ${evaluation.job.status}. Call get_run_status and try again`,
  )
}

/** Resolves a `run_id` to a run reference, for functions that open runs. */
export async function resolveReference(service: Pick<Service, 'store'>, id: string): Promise<string> {
  // A job's id names its run; everything else, such as NAME@2, is a reference already.
  return jobId.test(id) ? (await startedRun(service, id)).run.id : id
}

/** `incomplete` is the state of a run that no job and no process works on. */
export type FoundStatus = JobStatus | 'incomplete'

/** Reads the state of a job, or of a run that no job made. */
export async function readStatus({ store }: Pick<Service, 'store'>, foundRun: FoundRun): Promise<FoundStatus> {
  if (foundRun.job !== undefined) return foundRun.job.status
  const { run, judgement } = foundRun.opened
  if (await store.runs.isWorkedOnElsewhere(run)) return 'running'
  return isSettled(await store.runs.counts(run)) && judgement !== undefined ? 'completed' : 'incomplete'
}
