import type { JobEvent, NewJobEvent } from '../../store.js'
import type { Context } from '../connection/context.js'
import { type JobEventRow, readEventRow, readReasons, sumOfEvent } from '../../rows/jobs.js'
import { toText } from '../../rows/sums.js'

/**
 * Appends events to a job and numbers them after its last one. Call inside a write transaction.
 *
 * @param job the number of the job's row
 */
export function appendEvents(context: Context, job: number, events: readonly NewJobEvent[]): void {
  const last = context
    .sql<{ number: number | null }>('SELECT max(number) AS number FROM job_event WHERE job = ?')
    .get(job)?.number
  for (const [index, { type, data }] of events.entries())
    insertEvent(context, { job, number: (last ?? 0) + 1 + index, type, data })
}

export function insertEvent(
  context: Context,
  { job, number, type, data }: NewJobEvent & { readonly job: number; readonly number: number },
): void {
  const row = { job, number, at: context.now(), type, data: toText(data) }
  context
    .sql('INSERT INTO job_event (job, number, at, type, data, sum) VALUES (?, ?, ?, ?, ?, ?)')
    .run(job, number, row.at, type, row.data, sumOfEvent(context, row))
}

const pageSql = `
  SELECT e.* FROM job_event e JOIN job j ON j.id = e.job WHERE j.uuid = ? AND e.number > ? ORDER BY e.number LIMIT ?`

const declinedSql = `
  SELECT e.* FROM job_event e JOIN job j ON j.id = e.job
  WHERE j.uuid = ? AND j.status = 'queued' AND e.type IN ('declined', 'requeued') ORDER BY e.number`

/** Reads the reasons for which workers left a queued job to others. */
export const readDeclines = (context: Context, uuid: string): readonly string[] =>
  readReasons(
    context
      .sql<JobEventRow>(declinedSql)
      .all(uuid)
      .map(row => readEventRow(context, row)),
  )

/** Reads a page of a job's events. @throws DamagedRowError if a checksum is wrong */
export const readJobEvents = (context: Context, uuid: string, after: number, limit: number): readonly JobEvent[] =>
  context
    .sql<JobEventRow>(pageSql)
    .all(uuid, after, limit)
    .map(row => readEventRow(context, row))
