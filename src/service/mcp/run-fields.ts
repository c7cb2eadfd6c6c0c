/** A run as agents see it: the fields that several tools answer with. */
import { z } from 'zod'
import type { JsonObject } from '../../../cache/records.js'
import type { Job } from '../../../cache/store.js'
import { isObject } from '../../../base/values/canonical-json.js'
import { statuses } from '../http/job-info.js'
import { runResults } from '../../present/json/run-results.js'
import type { Service } from '../service.js'
import type { FoundRun } from './found-run.js'

/** The argument that names a run or a job. */
export const runId = z
  .string()
  .min(1)
  .max(200)
  .describe(
    'the run_id that evaluate returned; or the name or id of a run, "last" for the newest, NAME@1 for its first judgement',
  )

/** The field that holds the state of a run. */
export const statusField = z
  .enum([...statuses, 'incomplete'])
  .describe(
    'queued and running continue; completed, failed and cancelled are final; incomplete: nothing works on it now',
  )

/** The fields of a run's result. */
export const resultFields = {
  run_id: z.string(),
  status: statusField,
  run: z.string().nullable().describe('the name of the run; null until it has started'),
  results: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe(
      'scores by task and metric with n, 95 % interval and coverage (tasks), and counts of answered and failed requests',
    ),
  error: z.string().nullable().describe('why a run failed'),
}

const isoTime = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString())

/** Formats the times of a job as ISO 8601. */
export const formatJobTimes = (job: Job | undefined) => ({
  created_at: isoTime(job?.createdAt),
  started_at: isoTime(job?.startedAt),
  completed_at: isoTime(job?.finishedAt),
})

/** Finds the position of a job in the queue; null where it does not wait. */
export const findQueuePosition = async ({ store }: Service, job: Job | undefined): Promise<number | null> =>
  job?.status === 'queued' ? store.jobs.position(job) : null

/** Parts of the results JSON that tell nothing about the model. */
const details: ReadonlySet<string> = new Set(['format', 'config', 'versions', 'provenance', 'throughput', 'session'])

/**
 * Reads the current results of a run.
 *
 * @param isWhole includes configuration, versions and throughput
 */
export async function readResults(
  { store }: Service,
  { job, opened }: FoundRun,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): Promise<JsonObject | null> {
  const results = job?.result ?? (opened === undefined ? undefined : await runResults(store, opened))
  if (!isObject(results)) return null
  return Object.fromEntries(Object.entries(results).filter(([name]) => isWhole || !details.has(name)))
}

/** The name of the run. */
export const readRunName = ({ opened }: FoundRun): string | null => opened?.run.name ?? null
