import {
  checkedJob,
  newJobContent,
  sumOfEvent,
  sumOfJob,
  type JobContent,
  type JobProgress,
  type JobRow,
} from '../../rows/jobs.js'
import { toText } from '../../rows/sums.js'
import type { NewJob, NewJobEvent } from '../../store.js'
import { splitColumns, nowSql, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'

/** Finds a job by the id that clients use. @throws DamagedRowError if its checksum is wrong */
export async function findJobRow(context: Context, query: Query, uuid: string): Promise<JobRow | undefined> {
  const [row] = await query<JobRow>('SELECT * FROM job WHERE uuid = $1', [uuid])
  return row && checkedJob(context, row)
}

/** Reads the server's time, in milliseconds since 1970. */
export async function readNow(query: Query): Promise<number> {
  const [row] = await query<{ now: number }>(`SELECT ${nowSql} AS now`)
  return row?.now ?? 0
}

const contentColumns = [
  ...['uuid', 'idempotency_key', 'job_group', 'priority', 'labels', 'request', 'submitter', 'webhook', 'created'],
  ...[
    'status',
    'started',
    'finished',
    'starts',
    'cancelling',
    'stage',
    'run',
    'result',
    'error',
    'attempts',
    'webhook_due',
  ],
] as readonly (keyof JobContent)[]

/** Adds a queued job. Call inside a write transaction. */
export async function insertJob(context: Context, query: Query, job: NewJob): Promise<JobRow> {
  const content = newJobContent(job, await readNow(query))
  const columns = [...contentColumns, 'token', 'sum']
  const [row] = await query<JobRow>(
    `INSERT INTO job (${columns.join(', ')}) VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')}) RETURNING *`,
    [...contentColumns.map(column => content[column]), 0, sumOfJob(context, content)],
  )
  if (row === undefined) throw new Error('internal error: job not made')
  return row
}

/** Changes a job. Call inside the write transaction that read the row. */
export async function updateJob(
  context: Context,
  query: Query,
  row: JobRow,
  change: Partial<JobProgress & Pick<JobRow, 'owner' | 'token'>>,
): Promise<JobRow> {
  const changed = { ...row, ...change }
  const summed = { ...changed, sum: sumOfJob(context, changed) }
  const names = Object.keys(change) as (keyof typeof change)[]
  await query(
    `UPDATE job SET sum = $2${names.map((name, index) => `, ${name} = $${index + 3}`).join('')} WHERE id = $1`,
    [row.id, summed.sum, ...names.map(name => summed[name])],
  )
  return summed
}

/**
 * Appends events to a job and numbers them after its last one. Call inside a write transaction.
 *
 * @param job the number of the job's row
 */
export async function appendEvents(
  context: Context,
  query: Query,
  job: number,
  events: readonly NewJobEvent[],
): Promise<void> {
  if (events.length === 0) return
  const [last] = await query<{ number: number | null; now: number }>(
    `SELECT max(number) AS number, ${nowSql} AS now FROM job_event WHERE job = $1`,
    [job],
  )
  const rows = events.map(({ type, data }, index) => {
    const row = { job, number: (last?.number ?? 0) + 1 + index, at: last?.now ?? 0, type, data: toText(data) }
    return { ...row, sum: sumOfEvent(context, row) }
  })
  await query(
    `INSERT INTO job_event (job, number, at, type, data, sum)
     SELECT * FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::text[], $5::text[], $6::bigint[])`,
    splitColumns(rows, ['job', 'number', 'at', 'type', 'data', 'sum']),
  )
}
