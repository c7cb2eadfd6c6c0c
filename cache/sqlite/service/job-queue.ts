/** Gives jobs to processes, takes them back and ends them. Call all functions inside a write transaction. */
import {
  jobStages,
  type ClaimLimits,
  type JobLease,
  type JobOutcome,
  type JobStage,
  type ReleaseOptions,
} from '../../store/job-store.js'
import type { Context } from '../connection/context.js'
import { appendEvents } from './job-events.js'
import { findJobRow, updateJob } from './job-rows.js'
import { type JobRow, endedJob, endlessOutcome, isJobSound, readJobRow } from '../../rows/jobs.js'

/** The columns that decide a job's place in the queue. */
interface Candidate {
  readonly id: number
  readonly priority: number
}

interface RunningJob extends Candidate {
  readonly uuid: string
  readonly job_group: string
  readonly owner: number | null
  readonly stage: JobStage | null
}

/** Tells whether a claim would find a job. The caller need not be inside a transaction. */
export const hasNextJob = (
  context: Context,
  { perGroup = Infinity, stages = jobStages, skipped = [] }: ClaimLimits,
): boolean => nextJob(context, { perGroup, stages, skipped }) !== undefined

/** Claims the next job. It first ends jobs that were claimed too often or are to be cancelled. Damaged jobs are skipped and not changed. */
export function claimJob(context: Context, limits: ClaimLimits): JobLease | undefined {
  const { perGroup = Infinity, maxStarts = 10, stages = jobStages, skipped = [], onDamaged } = limits
  const damaged: string[] = []
  for (;;) {
    const row = nextJob(context, { perGroup, stages, skipped: [...skipped, ...damaged] })
    if (row === undefined) return undefined
    if (!isJobSound(context, row)) {
      damaged.push(row.uuid)
      onDamaged?.(row.uuid)
    } else if (row.cancelling === 1) endJob(context, row, { status: 'cancelled' })
    else if (row.starts >= maxStarts) endJob(context, row, endlessOutcome(row.starts))
    else if (limits.mayTake?.(readJobRow(row)) === false) return undefined
    else return takeJob(context, row)
  }
}

/** Returns the row of the next job that is not in `skipped`. The caller must check its checksum. */
function nextJob(
  context: Context,
  {
    perGroup,
    stages,
    skipped,
  }: { readonly perGroup: number; readonly stages: readonly JobStage[]; readonly skipped: readonly string[] },
): JobRow | undefined {
  const { abandoned, full } = runningJobs(context, perGroup)
  const queued = context
    .sql<Candidate>(
      `SELECT id, priority FROM job INDEXED BY job_queue WHERE status = 'queued' AND job_group NOT IN (SELECT value FROM json_each(?))
         AND uuid NOT IN (SELECT value FROM json_each(?)) AND ifnull(stage, 'input') IN (SELECT value FROM json_each(?)) ORDER BY priority DESC, id LIMIT 1`,
    )
    .all(JSON.stringify(full), JSON.stringify(skipped), JSON.stringify(stages))
  const takeable = abandoned.filter(({ uuid, stage }) => !skipped.includes(uuid) && stages.includes(stage ?? 'input'))
  const [next] = [...takeable, ...queued].sort((a, b) => b.priority - a.priority || a.id - b.id)
  return next && context.sql<JobRow>('SELECT * FROM job WHERE id = ?').get(next.id)
}

/** Finds running jobs whose process is gone (`abandoned`), and groups that are at their limit (`full`). */
function runningJobs(
  context: Context,
  perGroup: number,
): { readonly abandoned: readonly RunningJob[]; readonly full: readonly string[] } {
  const running = context
    .sql<RunningJob>("SELECT id, uuid, priority, job_group, owner, stage FROM job WHERE status = 'running'")
    .all()
  const alive = new Map<number, boolean>()
  const counts = new Map<string, number>()
  const abandoned: RunningJob[] = []
  for (const job of running) {
    if (isHeld(context, job.owner, alive)) counts.set(job.job_group, (counts.get(job.job_group) ?? 0) + 1)
    else abandoned.push(job)
  }
  const isFull = (group: string): boolean => (counts.get(group) ?? 0) >= perGroup
  return {
    abandoned: abandoned.filter(({ job_group: group }) => !isFull(group)),
    full: [...counts.keys()].filter(isFull),
  }
}

/** @param aliveByOwner owners that were looked up before in the same transaction */
function isHeld(context: Context, owner: number | null, aliveByOwner = new Map<number, boolean>()): boolean {
  if (owner === null) return false
  const alive = aliveByOwner.get(owner) ?? context.owners.isAlive(owner)
  aliveByOwner.set(owner, alive)
  return alive
}

function takeJob(context: Context, row: JobRow): JobLease {
  const token =
    context
      .sql<{ value: number }>("UPDATE counter SET value = value + 1 WHERE name = 'lease-token' RETURNING value")
      .get()?.value ?? 0
  const updatedRow = updateJob(context, row, {
    ...{ status: 'running', starts: row.starts + 1, started: row.started ?? context.now() },
    ...{ owner: context.owners.me, token },
  })
  appendEvents(context, row.id, [{ type: row.started === null ? 'started' : 'resumed', data: {} }])
  return { job: readJobRow(updatedRow), token }
}

/** Finds the job of a lease. Returns undefined if the lease is lost or the job has ended. */
export function heldJob(context: Context, { job, token }: JobLease): JobRow | undefined {
  const row = findJobRow(context, job.id)
  return row?.status === 'running' && row.token === token ? row : undefined
}

export function endJob(context: Context, row: JobRow, outcome: JobOutcome): JobRow {
  const ended = updateJob(context, row, endedJob(row, outcome, context.now()))
  appendEvents(context, row.id, [{ type: outcome.status, data: outcome }])
  return ended
}

interface Requeued {
  /** The number of starts that still count. */
  readonly starts: number
  readonly stage?: JobStage | null
  readonly why?: string | undefined
}

/** Puts a job back into the queue. A job with a pending cancellation ends instead. */
function requeueJob(context: Context, row: JobRow, { starts, stage = row.stage, why }: Requeued): void {
  if (row.cancelling === 1) {
    endJob(context, row, { status: 'cancelled' })
    return
  }
  updateJob(context, row, { status: 'queued', owner: null, starts, stage })
  const data = {
    ...(stage !== null && stage !== row.stage && { next_stage: stage }),
    ...(why !== undefined && { why }),
  }
  appendEvents(context, row.id, [{ type: 'requeued', data }])
}

/** Puts a job back into the queue because its worker shuts down. This start does not count towards the limit, which is for workers that fail. */
export const releaseJob = (context: Context, row: JobRow, { nextStage, why }: ReleaseOptions): void =>
  requeueJob(context, row, {
    starts: Math.max(0, row.starts - 1),
    why,
    ...(nextStage !== undefined && { stage: nextStage }),
  })

/** Puts the jobs of this process back into the queue. Their workers failed to release them, so their starts count. Damaged jobs are skipped. */
export function requeueOwnJobs(context: Context): void {
  const own = context.sql<JobRow>('SELECT * FROM job WHERE owner = ?').all(context.owners.registered ?? null)
  for (const row of own)
    if (row.status === 'running' && isJobSound(context, row)) requeueJob(context, row, { starts: row.starts })
}

/** Ends a job that no process works on, and marks a running one. @returns the changed row */
export function cancelJob(context: Context, row: JobRow): JobRow {
  if (row.status === 'queued' || (row.status === 'running' && !isHeld(context, row.owner)))
    return endJob(context, row, { status: 'cancelled' })
  return row.status === 'running' ? updateJob(context, row, { cancelling: 1 }) : row
}
