import { PipelineError } from '../../../base/errors/errors.js'
import {
  checkedJob,
  isJobSound,
  labelTexts,
  readEventRow,
  readReasons,
  readJobRow,
  sortWaiting,
  type JobEventRow,
  type JobRow,
} from '../../rows/jobs.js'
import type { Job, JobLease, JobQuery, JobStatus, JobStore, NewJob, NewJobEvent, WaitingJobs } from '../../store.js'
import type { Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { cancelJob, claimJob, endJob, findHeldJob, lockQueue, releaseJob } from './job-queue.js'
import { appendEvents, findJobRow, insertJob, updateJob } from './job-rows.js'

/** Opens the jobs of a store on PostgreSQL. */
export function postgresJobs(context: Context): JobStore {
  const { db } = context
  return {
    submit: job => db.write((query, attempt) => submit(context, query, job, attempt > 0)),
    find: id =>
      db.read(async query => {
        const row = await findJobRow(context, query, id)
        return row && readJobRow(row)
      }),
    list: wanted => db.read(query => list(context, query, wanted)),
    counts: () => db.read(countJobs),
    position: ({ id }) => db.read(query => findPosition(query, id)),
    waiting: () =>
      db.read(async query =>
        sortWaiting(
          await query<WaitingJobs>(
            `SELECT coalesce(stage, 'input') AS stage, count(*) AS jobs, min(created) AS since FROM job WHERE status = 'queued' GROUP BY 1`,
          ),
        ),
      ),
    queue: limit =>
      db.read(async query => {
        const rows = await query<{ uuid: string }>(
          "SELECT uuid FROM job WHERE status = 'queued' ORDER BY priority DESC, id LIMIT $1",
          [limit],
        )
        return rows.map(({ uuid }) => uuid)
      }),
    claim: (limits = {}) => claimJob(context, limits),
    append: (lease, events, options = {}) =>
      whileHeld(context, lease, (query, row) => append(context, query, row, { events, ...options })),
    finish: (lease, outcome) => whileHeld(context, lease, (query, row) => endJob(context, query, row, outcome)),
    release: (lease, options = {}) =>
      whileHeld(context, lease, (query, row) => releaseJob(context, query, row, options)),
    decline: (id, why) => decline(context, id, why),
    declines: id => db.read(query => readDeclines(context, query, id)),
    cancel: id =>
      db.write(async query => {
        await lockQueue(context, query)
        await context.owners.bury(query)
        const row = await findJobRow(context, query, id)
        return row && readJobRow(await cancelJob(context, query, row))
      }),
    events: (id, after, limit) =>
      db.read(async query => {
        const rows = await query<JobEventRow>(
          'SELECT e.* FROM job_event e JOIN job j ON j.id = e.job WHERE j.uuid = $1 AND e.number > $2 ORDER BY e.number LIMIT $3',
          [id, after, limit],
        )
        return rows.map(row => readEventRow(context, row))
      }),
    webhooksDue: limit => db.read(query => findWebhooksDue(context, query, limit)),
    webhookTried: (id, isDone) =>
      db.write(async query => {
        await lockQueue(context, query)
        const row = await findJobRow(context, query, id)
        if (row === undefined) return
        const change = { attempts: row.attempts + 1, webhook_due: isDone ? 0 : row.webhook_due }
        await updateJob(context, query, row, change)
      }),
    prune: keep => prune(context, keep),
  }
}

/** @param mayBeThere an earlier attempt may have stored the job, without a sign that reached this process */
async function submit(
  context: Context,
  query: Query,
  job: NewJob,
  mayBeThere: boolean,
): Promise<{ readonly job: Job; readonly isNew: boolean }> {
  await lockQueue(context, query)
  if (job.idempotencyKey !== undefined) {
    const [earlierJob] = await query<JobRow>('SELECT * FROM job WHERE idempotency_key = $1', [job.idempotencyKey])
    if (earlierJob !== undefined)
      return { job: readJobRow(checkedJob(context, earlierJob)), isNew: mayBeThere && earlierJob.uuid === job.id }
  }
  const same = await findJobRow(context, query, job.id)
  if (same !== undefined && mayBeThere) return { job: readJobRow(same), isNew: true }
  if (same !== undefined) throw new PipelineError('store', `there is a job ${job.id} already: each job needs a new id`)
  const row = await insertJob(context, query, job)
  await appendEvents(context, query, row.id, [{ type: 'queued', data: {} }])
  return { job: readJobRow(row), isNew: true }
}

/**
 * SQL condition for rows with all requested labels. Labels are canonical JSON: quotes within a text are escaped, so `,"name":"value"` can only be a
 * label. The type `jsonb` would reject labels with a NUL character.
 */
const hasLabels = `NOT EXISTS (SELECT 1 FROM unnest($1::text[]) u(label) WHERE strpos(',' || substr(j.labels, 2), u.label) = 0)`

async function list(
  context: Context,
  query: Query,
  { status, labels = {}, after, limit }: JobQuery,
): Promise<readonly Job[]> {
  const before = after === undefined ? Number.MAX_SAFE_INTEGER : await findJobNumber(query, after)
  const rows = await query<JobRow>(
    `SELECT j.* FROM job j WHERE ${hasLabels} AND ($2::text IS NULL OR j.status = $2) AND j.id < $3 ORDER BY j.id DESC LIMIT $4`,
    [labelTexts(labels), status ?? null, before, limit],
  )
  return rows.map(row => readJobRow(checkedJob(context, row)))
}

async function findJobNumber(query: Query, uuid: string): Promise<number> {
  const [row] = await query<{ id: number }>('SELECT id FROM job WHERE uuid = $1', [uuid])
  if (row === undefined)
    throw new PipelineError(
      'store',
      `there is no job ${uuid} to list on from: it was removed, so begin with the first page`,
    )
  return row.id
}

async function countJobs(query: Query): Promise<Readonly<Record<JobStatus, number>>> {
  const countsByStatus: Record<JobStatus, number> = { queued: 0, running: 0, completed: 0, failed: 0, cancelled: 0 }
  const rows = await query<{ status: JobStatus; n: number }>('SELECT status, count(*) AS n FROM job GROUP BY status')
  for (const { status, n } of rows) countsByStatus[status] = n
  return countsByStatus
}

async function findPosition(query: Query, uuid: string): Promise<number> {
  const [row] = await query<{ ahead: number }>(
    `SELECT (SELECT count(*) FROM job q WHERE q.status = 'queued'
       AND (q.priority > j.priority OR (q.priority = j.priority AND q.id < j.id))) AS ahead
     FROM job j WHERE j.uuid = $1 AND j.status = 'queued'`,
    [uuid],
  )
  return row?.ahead ?? 0
}

/** @returns false if the lease is lost */
const whileHeld = (
  context: Context,
  lease: JobLease,
  work: (query: Query, row: JobRow) => Promise<unknown>,
): Promise<boolean> =>
  context.db.write(async query => {
    await lockQueue(context, query)
    const row = await findHeldJob(context, query, lease)
    if (row !== undefined) await work(query, row)
    return row !== undefined
  })

async function readDeclines(context: Context, query: Query, id: string): Promise<readonly string[]> {
  const rows = await query<JobEventRow>(
    `SELECT e.* FROM job_event e JOIN job j ON j.id = e.job
     WHERE j.uuid = $1 AND j.status = 'queued' AND e.type IN ('declined', 'requeued') ORDER BY e.number`,
    [id],
  )
  return readReasons(rows.map(row => readEventRow(context, row)))
}

/** Most workers of a store have the same reason, so it is looked for before the queue is locked. */
async function decline(context: Context, id: string, why: string): Promise<void> {
  if ((await context.db.read(query => readDeclines(context, query, id))).includes(why)) return
  await context.db.write(async query => {
    await lockQueue(context, query)
    const row = await findJobRow(context, query, id)
    if (row?.status !== 'queued' || (await readDeclines(context, query, id)).includes(why)) return
    await appendEvents(context, query, row.id, [{ type: 'declined', data: { why } }])
  })
}

interface Addition {
  readonly events: readonly NewJobEvent[]
  readonly run?: string
  readonly progress?: boolean
}

async function append(
  context: Context,
  query: Query,
  row: JobRow,
  { events, run, progress = false }: Addition,
): Promise<void> {
  const change = { run: run ?? row.run, starts: progress ? 0 : row.starts }
  // Events are frequent and the row, with its request, may be large. It is written only if it changes.
  if (change.run !== row.run || change.starts !== row.starts) await updateJob(context, query, row, change)
  await appendEvents(context, query, row.id, events)
}

/** Skips damaged jobs, so that the webhooks of the others do not wait for a repair. */
async function findWebhooksDue(context: Context, query: Query, limit: number): Promise<readonly Job[]> {
  const rows = await query<JobRow>('SELECT * FROM job WHERE webhook_due = 1 ORDER BY finished, id')
  return rows
    .filter(row => isJobSound(context, row))
    .slice(0, limit)
    .map(readJobRow)
}

/** The number of jobs that one transaction removes. Other processes can write between two transactions. */
const pruneBatch = 200

async function prune(context: Context, keep: number): Promise<number> {
  for (let removed = 0; ;) {
    const batch = await context.db.write(async query => {
      await lockQueue(context, query)
      const rows = await query(
        `DELETE FROM job WHERE id IN (
           SELECT id FROM job WHERE finished IS NOT NULL AND webhook_due = 0 ORDER BY finished, id
           LIMIT greatest(0, least($2, (SELECT count(*) FROM job WHERE finished IS NOT NULL AND webhook_due = 0) - $1))) RETURNING id`,
        [keep, pruneBatch],
      )
      return rows.length
    })
    removed += batch
    if (batch < pruneBatch) return removed
  }
}
