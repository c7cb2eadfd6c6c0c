import { present } from '../../../base/values/present.js'
import type { Job, JobStatus, NewJob } from '../../store.js'
import type { Context } from '../connection/context.js'
import { DamagedRowError, toText } from '../rows.js'

/** The columns of a job that change while it waits, runs and ends. */
interface JobProgress {
  readonly status: JobStatus
  readonly started: number | null
  readonly finished: number | null
  readonly starts: number
  readonly cancelling: number
  readonly run: string | null
  readonly result: string | null
  readonly error: string | null
  /** The number of attempts to deliver the webhook. */
  readonly attempts: number
  readonly webhook_due: number
}

interface JobContent extends JobProgress {
  readonly uuid: string
  readonly idempotency_key: string | null
  readonly job_group: string
  readonly priority: number
  readonly labels: string
  readonly request: string
  readonly submitter: string | null
  readonly webhook: string | null
  readonly created: number
}

/** A row of `job`. The checksum leaves out owner and token, because a wrong value there only loses a lease. */
export interface JobRow extends JobContent {
  readonly id: number
  readonly owner: number | null
  readonly token: number
  readonly sum: number
}

const sumOfJob = (context: Context, row: JobContent): number =>
  context.sum(
    ...['job', row.uuid, row.idempotency_key, row.job_group, row.priority, row.labels, row.request, row.submitter],
    ...[row.webhook, row.created, row.status, row.started, row.finished, row.starts, row.cancelling, row.run],
    ...[row.result, row.error, row.attempts, row.webhook_due],
  )

export const isJobSound = (context: Context, row: JobRow): boolean => sumOfJob(context, row) === row.sum

/** Returns the row if its checksum is right. @throws DamagedRowError otherwise */
export function checkedJob(context: Context, row: JobRow): JobRow {
  if (!isJobSound(context, row)) throw new DamagedRowError('job', row.id)
  return row
}

/** Finds a job by the id that clients use. @throws DamagedRowError if its checksum is wrong */
export function findJobRow(context: Context, uuid: string): JobRow | undefined {
  const row = context.sql<JobRow>('SELECT * FROM job WHERE uuid = ?').get(uuid)
  return row && checkedJob(context, row)
}

export const readJobRow = (row: JobRow): Job => ({
  id: row.uuid,
  request: JSON.parse(row.request) as Job['request'],
  group: row.job_group,
  priority: row.priority,
  labels: JSON.parse(row.labels) as Job['labels'],
  status: row.status,
  createdAt: row.created,
  starts: row.starts,
  isCancelling: row.cancelling === 1,
  ...present({
    idempotencyKey: row.idempotency_key ?? undefined,
    submitter: row.submitter ?? undefined,
    webhook: row.webhook ?? undefined,
    startedAt: row.started ?? undefined,
    finishedAt: row.finished ?? undefined,
    run: row.run ?? undefined,
    result: row.result === null ? undefined : (JSON.parse(row.result) as Job['request']),
    error: row.error ?? undefined,
    webhookAttempts: row.webhook === null ? undefined : row.attempts,
  }),
})

/** Adds a queued job. Call inside a write transaction. */
export function insertJob(context: Context, job: NewJob): JobRow {
  const content: JobContent = {
    ...{ uuid: job.id, idempotency_key: job.idempotencyKey ?? null, job_group: job.group },
    ...{ priority: job.priority ?? 0, labels: toText(job.labels ?? {}), request: toText(job.request) },
    ...{ submitter: job.submitter ?? null, webhook: job.webhook ?? null, created: context.now() },
    ...{ status: 'queued', started: null, finished: null, starts: 0, cancelling: 0 },
    ...{ run: null, result: null, error: null, attempts: 0, webhook_due: 0 },
  }
  const row = { ...content, owner: null, token: 0, sum: sumOfJob(context, content) }
  const columns = Object.keys(row)
  const values = columns.map(column => `@${column}`)
  const sql = `INSERT INTO job (${columns.join(', ')}) VALUES (${values.join(', ')})`
  return { id: Number(context.sql(sql).run(row).lastInsertRowid), ...row }
}

const updateSql = `
  UPDATE job SET status = @status, started = @started, finished = @finished, starts = @starts, cancelling = @cancelling,
    run = @run, result = @result, error = @error, attempts = @attempts, webhook_due = @webhook_due, owner = @owner,
    token = @token, sum = @sum
  WHERE id = @id`

/** Changes a job. Call inside the write transaction that read the row. */
export function updateJob(
  context: Context,
  row: JobRow,
  change: Partial<JobProgress & Pick<JobRow, 'owner' | 'token'>>,
): JobRow {
  const changed = { ...row, ...change }
  const summed = { ...changed, sum: sumOfJob(context, changed) }
  context.sql(updateSql).run(summed)
  return summed
}
