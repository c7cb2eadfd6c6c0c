/** Continues a run that stopped, as a job. */
import { PipelineError } from '../../../base/errors/errors.js'
import { without } from '../../../base/values/without.js'
import type { JsonObject, Run } from '../../../cache/records.js'
import type { Job, OpenedRun, Store } from '../../../cache/store.js'
import { withAbsolutePaths } from '../../config/stored/stored-paths.js'
import { runOverview } from '../../reading/progress/run-overview.js'
import { howToGoOn } from '../../present/text/results/incomplete-run.js'
import type { Service } from '../service.js'
import { submitJob } from './job-service.js'

/** The number of recent jobs that are searched for the job of a run. */
const recentJobs = 200

/**
 * Submits a job that finishes a run. It uses the request of the job that created the run, else the run's stored settings. If an open job of the run
 * exists, that job is returned.
 *
 * @throws PipelineError (usage) if the run is complete, a process works on the run, or the server's policy does not allow its settings
 * @throws QueueFullError
 */
export async function continueRun(
  service: Service,
  { run }: OpenedRun,
  { submitter }: { readonly submitter?: string | undefined },
): Promise<Job> {
  const { store } = service
  const open = await openJob(store, run)
  if (open !== undefined) return open
  const { state } = await runOverview(store, run)
  if (state === 'running') throw new PipelineError('usage', `a process works on run ${run.name} already`)
  if (state === 'complete') throw new PipelineError('usage', `run ${run.name} is complete: nothing is left to do`)
  const request = await findRequest(store, run)
  const { job } = await submitJob(service, {
    body: { ...request, ...(await retriesFailed(store, run)) },
    resume: run.id,
    ...(submitter !== undefined && { submitter }),
  })
  return job
}

async function openJob({ jobs }: Store, { id }: Run): Promise<Job | undefined> {
  for (const status of ['running', 'queued'] as const)
    for (const job of await jobs.list({ status, limit: recentJobs }))
      if (job.run === id || job.request['resume'] === id) return job
  return undefined
}

/**
 * Finds the request of a job that makes the run. The run's own job has secrets by their names on this server, which the run does not have.
 *
 * @throws PipelineError (usage) if the settings of the run were not kept
 */
export async function findRequest(store: Store, run: Run): Promise<JsonObject> {
  const recent = await store.jobs.list({ limit: recentJobs })
  const ownJob = recent.find(job => job.run === run.id && job.request['analysis'] === undefined)
  if (ownJob !== undefined) return without(ownJob.request, 'resume')
  const { cwd = process.cwd(), ...config } = run.provenance.config
  if (config.model === undefined || config.tasks === undefined)
    throw new PipelineError('usage', `run ${run.name} cannot be continued: its settings were not kept`)
  return withAbsolutePaths(config, cwd, { model: run.asked.model })
}

/** @throws PipelineError (usage) if it is the task that has to change */
async function retriesFailed(store: Store, run: Run): Promise<JsonObject> {
  const [failures, counts] = [await store.requests.failures(run), await store.runs.counts(run)]
  if (failures.length === 0) return {}
  const { command, advice, retriesFailed: isNeeded } = howToGoOn(run.name, failures, counts)
  if (command === undefined) throw new PipelineError('usage', advice ?? `run ${run.name} cannot be continued`)
  return isNeeded === true ? { retry_failed: true } : {}
}
