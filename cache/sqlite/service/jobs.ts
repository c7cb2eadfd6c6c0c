import { PipelineError } from '../../../base/errors/errors.js'
import type { Job, JobLease, JobQuery, JobStatus, JobStore, NewJob, NewJobEvent, WaitingJobs } from '../../store.js'
import type { Context, Read } from '../connection/context.js'
import { appendEvents, readDeclines, readJobEvents } from './job-events.js'
import { cancelJob, claimJob, endJob, hasNextJob, heldJob, releaseJob } from './job-queue.js'
import { findJobRow, insertJob, updateJob } from './job-rows.js'
import { type JobRow, checkedJob, isJobSound, labelTexts, readJobRow, sortWaiting } from '../../rows/jobs.js'

/** Opens the jobs of an SQLite store. */
export const sqliteJobs = (context: Context, read: Read): JobStore => ({
  submit: job => context.commit.add(() => submit(context, job)),
  find: id => read(() => asJob(findJobRow(context, id))),
  list: query => read(() => list(context, query)),
  counts: () => read(() => counts(context)),
  position: job => read(() => position(context, job)),
  waiting: () => read(() => sortWaiting(context.sql<WaitingJobs>(waitingSql).all())),
  queue: limit =>
    read(() =>
      context
        .sql<{ uuid: string }>(
          "SELECT uuid FROM job INDEXED BY job_queue WHERE status = 'queued' ORDER BY priority DESC, id LIMIT ?",
        )
        .all(limit)
        .map(({ uuid }) => uuid),
    ),
  // Idle workers look often, so a look that finds nothing takes no lock.
  claim: async (limits = {}) =>
    (await read(() => hasNextJob(context, limits))) ? context.commit.add(() => claimJob(context, limits)) : undefined,
  append: (lease, events, options = {}) => context.commit.add(() => append(context, { lease, events, ...options })),
  finish: (lease, outcome) => whileHeld(context, lease, row => void endJob(context, row, outcome)),
  release: (lease, options = {}) => whileHeld(context, lease, row => releaseJob(context, row, options)),
  decline: (id, why) => context.commit.add(() => decline(context, id, why)),
  declines: id => read(() => readDeclines(context, id)),
  cancel: id =>
    context.commit.add(() => {
      const row = findJobRow(context, id)
      return row && readJobRow(cancelJob(context, row))
    }),
  events: (id, after, limit) => read(() => readJobEvents(context, id, after, limit)),
  webhooksDue: limit => read(() => webhooksDue(context, limit)),
  webhookTried: (id, isDone) => context.commit.add(() => webhookTried(context, id, isDone)),
  prune: keep => prune(context, keep),
})

const asJob = (row: JobRow | undefined): Job | undefined => row && readJobRow(row)

const rows = (context: Context, sql: string, ...values: readonly unknown[]): readonly JobRow[] =>
  context
    .sql<JobRow>(sql)
    .all(...values)
    .map(row => checkedJob(context, row))

function submit(context: Context, job: NewJob): { readonly job: Job; readonly isNew: boolean } {
  const [earlierJob] =
    job.idempotencyKey === undefined
      ? []
      : rows(context, 'SELECT * FROM job WHERE idempotency_key = ?', job.idempotencyKey)
  if (earlierJob !== undefined) return { job: readJobRow(earlierJob), isNew: false }
  if (context.sql('SELECT 1 FROM job WHERE uuid = ?').get(job.id) !== undefined)
    throw new PipelineError('store', `there is a job ${job.id} already: each job needs a new id`)
  const row = insertJob(context, job)
  appendEvents(context, row.id, [{ type: 'queued', data: {} }])
  return { job: readJobRow(row), isNew: true }
}

/**
 * SQL condition for rows with all requested labels. Rows with unreadable labels match too, so that they are reported as damaged. Labels are canonical
 * JSON: quotes within a text are escaped, so `,"name":"value"` can only be a label. A text search takes a tenth of the time of parsing the JSON.
 */
const hasLabels = `((SELECT min(instr(',' || substr(job.labels, 2), value)) FROM json_each(@labels)) > 0 OR NOT json_valid(job.labels))`

function list(context: Context, { status, labels, after, limit }: JobQuery): readonly Job[] {
  const before = after === undefined ? Number.MAX_SAFE_INTEGER : numberOfJob(context, after)
  const filters = [
    ...(status === undefined ? [] : ['status = @status']),
    ...(labels === undefined || Object.keys(labels).length === 0 ? [] : [hasLabels]),
    'id < @before',
  ]
  return rows(context, `SELECT * FROM job WHERE ${filters.join(' AND ')} ORDER BY id DESC LIMIT @limit`, {
    ...(status === undefined ? {} : { status }),
    ...(labels === undefined ? {} : { labels: JSON.stringify(labelTexts(labels)) }),
    before,
    limit,
  }).map(readJobRow)
}

function numberOfJob(context: Context, uuid: string): number {
  const row = context.sql<{ id: number }>('SELECT id FROM job WHERE uuid = ?').get(uuid)
  if (row === undefined)
    throw new PipelineError(
      'store',
      `there is no job ${uuid} to list on from: it was removed, so begin with the first page`,
    )
  return row.id
}

function counts(context: Context): Readonly<Record<JobStatus, number>> {
  const countsByStatus: Record<JobStatus, number> = { queued: 0, running: 0, completed: 0, failed: 0, cancelled: 0 }
  for (const { status, jobs } of context
    .sql<{ status: JobStatus; jobs: number }>('SELECT status, jobs FROM job_count')
    .all())
    countsByStatus[status] = jobs
  return countsByStatus
}

// Without statistics, SQLite would prefer job_status here and read the large rows of all queued jobs.
const positionSql = `
  SELECT (SELECT count(*) FROM job INDEXED BY job_queue WHERE status = 'queued' AND priority > j.priority)
    + (SELECT count(*) FROM job INDEXED BY job_queue WHERE status = 'queued' AND priority = j.priority AND id < j.id) AS ahead
  FROM job j WHERE j.uuid = ? AND j.status = 'queued'`

// The index covers this query, so that the rows, which may be large, are not read.
const waitingSql = `
  SELECT ifnull(stage, 'input') AS stage, count(*) AS jobs, min(created) AS since FROM job INDEXED BY job_waiting
  WHERE status = 'queued' GROUP BY 1`

const position = (context: Context, { id }: Job): number =>
  context.sql<{ ahead: number }>(positionSql).get(id)?.ahead ?? 0

/** @returns false if the lease is lost */
const whileHeld = (context: Context, lease: JobLease, work: (row: JobRow) => void): Promise<boolean> =>
  context.commit.add(() => {
    const row = heldJob(context, lease)
    if (row !== undefined) work(row)
    return row !== undefined
  })

function decline(context: Context, id: string, why: string): void {
  const row = findJobRow(context, id)
  if (row?.status !== 'queued' || readDeclines(context, id).includes(why)) return
  appendEvents(context, row.id, [{ type: 'declined', data: { why } }])
}

interface Addition {
  readonly lease: JobLease
  readonly events: readonly NewJobEvent[]
  readonly run?: string
  readonly progress?: boolean
}

function append(context: Context, { lease, events, run, progress = false }: Addition): boolean {
  const row = heldJob(context, lease)
  if (row === undefined) return false
  const change = { run: run ?? row.run, starts: progress ? 0 : row.starts }
  // Events are frequent and the row, with its request, may be large. It is written only if it changes.
  if (change.run !== row.run || change.starts !== row.starts) updateJob(context, row, change)
  appendEvents(context, row.id, events)
  return true
}

/** Skips damaged jobs, so that the webhooks of the others do not wait for a repair. */
function webhooksDue(context: Context, limit: number): readonly Job[] {
  const due: Job[] = []
  for (const row of context.sql<JobRow>('SELECT * FROM job WHERE webhook_due = 1 ORDER BY finished, id').iterate()) {
    if (due.length >= limit) break
    if (isJobSound(context, row)) due.push(readJobRow(row))
  }
  return due
}

function webhookTried(context: Context, id: string, isDone: boolean): void {
  const row = findJobRow(context, id)
  if (row === undefined) return
  updateJob(context, row, { attempts: row.attempts + 1, webhook_due: isDone ? 0 : row.webhook_due })
}

/** The number of jobs that one transaction removes. Other processes can write between two transactions. */
const pruneBatch = 200

async function prune(context: Context, keep: number): Promise<number> {
  for (let removed = 0; ;) {
    const batch = await context.commit.add(() => pruneSome(context, keep))
    removed += batch
    if (batch < pruneBatch) return removed
  }
}

// Both indexes are small, and the rows are not read.
const prunableSql = `
  SELECT (SELECT count(*) FROM job INDEXED BY job_finished WHERE finished IS NOT NULL)
    - (SELECT count(*) FROM job INDEXED BY job_webhook WHERE webhook_due = 1) AS n`

const pruneSql = `
  DELETE FROM job WHERE id IN (
    SELECT id FROM job INDEXED BY job_finished WHERE finished IS NOT NULL AND webhook_due = 0 ORDER BY finished, id LIMIT ?)`

function pruneSome(context: Context, keep: number): number {
  const prunable = context.sql<{ n: number }>(prunableSql).get()?.n ?? 0
  const excess = Math.min(prunable - keep, pruneBatch)
  return excess <= 0 ? 0 : context.sql(pruneSql).run(excess).changes
}
