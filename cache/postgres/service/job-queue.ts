/** Gives jobs to processes, takes them back and ends them. Except `claimJob`, call all functions inside a transaction that holds the lock of the queue. */
import { endedJob, endlessOutcome, isJobSound, readJobRow, type JobRow } from '../../rows/jobs.js'
import {
  jobStages,
  type ClaimLimits,
  type JobLease,
  type JobOutcome,
  type JobStage,
  type ReleaseOptions,
} from '../../store/job-store.js'
import { takeNumbers, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { livesSql } from '../connection/owners.js'
import { appendEvents, findJobRow, readNow, updateJob } from './job-rows.js'

/** Keeps other processes from changing jobs until the transaction ends. @returns a token that is higher than all before */
export const lockQueue = (context: Context, query: Query): Promise<number> => takeNumbers(context, query, 'job', 1)

/** Claims the next job. Idle workers look often, so a look that finds nothing takes no lock and writes nothing. */
export async function claimJob(context: Context, limits: ClaimLimits): Promise<JobLease | undefined> {
  const { db, owners } = context
  const isAny = await db.read(
    async query => (await owners.findsDead(query)) || (await findNextJob(query, withDefaults(limits))) !== undefined,
  )
  return isAny ? db.write(query => claimNext(context, query, limits)) : undefined
}

const withDefaults = ({ perGroup = Number.MAX_SAFE_INTEGER, stages = jobStages, skipped = [] }: ClaimLimits) => ({
  perGroup,
  stages,
  skipped,
})

/** Claims the next job. It first ends jobs that were claimed too often or are to be cancelled. Damaged jobs are skipped and not changed. */
async function claimNext(context: Context, query: Query, limits: ClaimLimits): Promise<JobLease | undefined> {
  const { maxStarts = 10, onDamaged } = limits
  const { perGroup, stages, skipped } = withDefaults(limits)
  // Of several workers that saw the same job, one gets it. The others change nothing, so that nobody is woken.
  await query("SELECT value FROM counter WHERE name = 'job' FOR UPDATE")
  await context.owners.bury(query)
  const damaged: string[] = []
  for (;;) {
    const row = await findNextJob(query, { perGroup, stages, skipped: [...skipped, ...damaged] })
    if (row === undefined) return undefined
    if (!isJobSound(context, row)) {
      damaged.push(row.uuid)
      onDamaged?.(row.uuid)
      continue
    }
    const isOver = row.cancelling === 1 || row.starts >= maxStarts
    if (!isOver && limits.mayTake?.(readJobRow(row)) === false) return undefined
    const token = await lockQueue(context, query)
    if (row.cancelling === 1) await endJob(context, query, row, { status: 'cancelled' })
    else if (isOver) await endJob(context, query, row, endlessOutcome(row.starts))
    else return takeJob(context, query, row, token)
  }
}

// Jobs of dead processes keep their queue position. Groups at their limit wait. Jobs of dead processes do not count towards the limit.
const nextSql = `
  WITH running AS MATERIALIZED (SELECT id, job_group, ${livesSql('job.owner')} AS lives FROM job WHERE status = 'running'),
    full_group AS (SELECT job_group FROM running WHERE lives GROUP BY job_group HAVING count(*) >= $1)
  SELECT j.* FROM job j WHERE j.id = (
    SELECT c.id FROM (
      (SELECT q.id, q.priority FROM job q WHERE q.status = 'queued' AND q.job_group NOT IN (SELECT job_group FROM full_group)
        AND NOT q.uuid = ANY($2::text[]) AND coalesce(q.stage, 'input') = ANY($3::text[]) ORDER BY q.priority DESC, q.id LIMIT 1)
      UNION ALL
      (SELECT q.id, q.priority FROM running r JOIN job q ON q.id = r.id WHERE NOT r.lives
        AND q.job_group NOT IN (SELECT job_group FROM full_group) AND NOT q.uuid = ANY($2::text[]) AND coalesce(q.stage, 'input') = ANY($3::text[]) ORDER BY q.priority DESC, q.id LIMIT 1)
    ) c ORDER BY c.priority DESC, c.id LIMIT 1)`

/** Returns the row that is next, except those in `skipped`. Its checksum is not checked yet. */
async function findNextJob(
  query: Query,
  {
    perGroup,
    stages,
    skipped,
  }: { readonly perGroup: number; readonly stages: readonly JobStage[]; readonly skipped: readonly string[] },
): Promise<JobRow | undefined> {
  const [row] = await query<JobRow>(nextSql, [perGroup, skipped, stages])
  return row
}

async function takeJob(context: Context, query: Query, row: JobRow, token: number): Promise<JobLease> {
  const updatedRow = await updateJob(context, query, row, {
    ...{ status: 'running', starts: row.starts + 1, started: row.started ?? (await readNow(query)) },
    ...{ owner: context.owners.me, token },
  })
  await appendEvents(context, query, row.id, [{ type: row.started === null ? 'started' : 'resumed', data: {} }])
  return { job: readJobRow(updatedRow), token }
}

/** Finds the job of a lease. Returns undefined if the lease is lost or the job has ended. */
export async function findHeldJob(
  context: Context,
  query: Query,
  { job, token }: JobLease,
): Promise<JobRow | undefined> {
  const row = await findJobRow(context, query, job.id)
  return row?.status === 'running' && row.token === token ? row : undefined
}

export async function endJob(context: Context, query: Query, row: JobRow, outcome: JobOutcome): Promise<JobRow> {
  const ended = await updateJob(context, query, row, endedJob(row, outcome, await readNow(query)))
  await appendEvents(context, query, row.id, [{ type: outcome.status, data: outcome }])
  return ended
}

interface Requeued {
  /** The number of starts that still count. */
  readonly starts: number
  readonly stage?: JobStage | null
  readonly why?: string | undefined
}

/** Puts a job back into the queue. A job that was to be cancelled ends instead, so that no worker starts it again. */
async function requeueJob(
  context: Context,
  query: Query,
  row: JobRow,
  { starts, stage = row.stage, why }: Requeued,
): Promise<void> {
  if (row.cancelling === 1) {
    await endJob(context, query, row, { status: 'cancelled' })
    return
  }
  await updateJob(context, query, row, { status: 'queued', owner: null, starts, stage })
  const data = {
    ...(stage !== null && stage !== row.stage && { next_stage: stage }),
    ...(why !== undefined && { why }),
  }
  await appendEvents(context, query, row.id, [{ type: 'requeued', data }])
}

/** Puts a job back into the queue because its worker shuts down. This start does not count towards the limit, which is for workers that fail. */
export const releaseJob = (
  context: Context,
  query: Query,
  row: JobRow,
  { nextStage, why }: ReleaseOptions,
): Promise<void> =>
  requeueJob(context, query, row, {
    starts: Math.max(0, row.starts - 1),
    why,
    ...(nextStage !== undefined && { stage: nextStage }),
  })

/**
 * Puts the jobs of this process back into the queue. Their workers did not release them, so their starts count. It skips damaged ones, so that the others do not
 * stay behind.
 */
export async function requeueOwnJobs(context: Context, query: Query): Promise<void> {
  const isAny = await query("SELECT 1 FROM job WHERE owner = $1 AND status = 'running'", [context.owners.me])
  if (isAny.length === 0) return
  await lockQueue(context, query)
  const own = await query<JobRow>("SELECT * FROM job WHERE owner = $1 AND status = 'running'", [context.owners.me])
  for (const row of own) if (isJobSound(context, row)) await requeueJob(context, query, row, { starts: row.starts })
}

/** Ends a job that no process works on, and marks a running one. @returns the changed row */
export async function cancelJob(context: Context, query: Query, row: JobRow): Promise<JobRow> {
  if (row.status === 'queued') return endJob(context, query, row, { status: 'cancelled' })
  if (row.status !== 'running') return row
  const [owner] = await query<{ lives: boolean }>(`SELECT ${livesSql('$1')} AS lives`, [row.owner])
  return owner?.lives === true
    ? updateJob(context, query, row, { cancelling: 1 })
    : endJob(context, query, row, { status: 'cancelled' })
}
