/** Checks and repairs of a service's jobs and tokens. */
import type { JobOutcome } from '../../store.js'
import type { Context } from '../connection/context.js'
import { appendEvents, insertEvent } from '../service/job-events.js'
import type { LinkCheck, RowCheck } from './checks.js'
import {
  type JobEventRow,
  type JobRow,
  type TokenRow,
  isJobSound,
  readJobRow,
  sumOfEvent,
  sumOfToken,
} from '../../rows/jobs.js'

const pageSize = 1000

const jobs: RowCheck = {
  table: 'job',
  rows: (context, after) =>
    context
      .sql<JobRow>(`SELECT * FROM job WHERE id > ? ORDER BY id LIMIT ${pageSize}`)
      .all(after)
      .map(row => ({ id: row.id, name: row.uuid, isSound: isJobSound(context, row) })),
}

const events: RowCheck = {
  table: 'job_event',
  rows: (context, after) =>
    context
      .sql<JobEventRow>(`SELECT * FROM job_event WHERE id > ? ORDER BY id LIMIT ${pageSize}`)
      .all(after)
      .map(row => ({
        id: row.id,
        name: `number ${row.number} of job ${row.job}`,
        isSound: sumOfEvent(context, row) === row.sum,
      })),
}

const tokens: RowCheck = {
  table: 'token',
  rows: (context, after) =>
    context
      .sql<TokenRow>(`SELECT * FROM token WHERE number > ? ORDER BY number LIMIT ${pageSize}`)
      .all(after)
      .map(row => ({ id: row.number, name: row.id, isSound: sumOfToken(context, row) === row.sum })),
}

export const serviceRowChecks: readonly RowCheck[] = [jobs, events, tokens]

/** Drops a damaged row of one of these tables. Call inside a write transaction. */
export function repairServiceRow(context: Context, table: 'job' | 'job_event' | 'token', id: number): void {
  if (table === 'job') context.sql('DELETE FROM job_event WHERE job = ?').run(id)
  context.sql(`DELETE FROM ${table} WHERE ${table === 'token' ? 'number' : 'id'} = ?`).run(id)
}

const lostJobs = 'SELECT e.job FROM job_event e WHERE NOT EXISTS (SELECT 1 FROM job j WHERE j.id = e.job)'
const jobsWithGaps = `SELECT j.* FROM job j LEFT JOIN job_event e ON e.job = j.id
  GROUP BY j.id HAVING count(e.id) = 0 OR min(e.number) <> 1 OR max(e.number) <> count(e.id)`
const jobsWithoutEnd = `SELECT j.* FROM job j WHERE j.finished IS NOT NULL
  AND (SELECT e.type FROM job_event e WHERE e.job = j.id ORDER BY e.number DESC LIMIT 1) IS NOT j.status`

/** Clients continue after the last number they saw and wait for the final event, so no number and no end may be missing. */
const eventNumbers: LinkCheck = {
  table: 'job_event',
  find: context => [
    ...context
      .sql<{ job: number }>(`SELECT DISTINCT job FROM (${lostJobs})`)
      .all()
      .map(({ job }) => `of lost job ${job}`),
    ...new Set(
      [...jobRows(context, jobsWithGaps), ...jobRows(context, jobsWithoutEnd)].map(({ uuid }) => `of job ${uuid}`),
    ),
  ],
  repair: context => {
    context.sql(`DELETE FROM job_event WHERE job IN (${lostJobs})`).run()
    for (const row of jobRows(context, jobsWithGaps)) fillGaps(context, row.id)
    for (const row of jobRows(context, jobsWithoutEnd)) appendEvents(context, row.id, [makeEndEvent(row)])
  },
}

const jobRows = (context: Context, sql: string): readonly JobRow[] => context.sql<JobRow>(sql).all()

function fillGaps(context: Context, job: number): void {
  const numbers = context
    .sql<{ number: number }>('SELECT number FROM job_event WHERE job = ? ORDER BY number')
    .all(job)
    .map(({ number }) => number)
  const knownNumbers = new Set(numbers)
  for (let number = 1; number <= (numbers.at(-1) ?? 1); number++)
    if (!knownNumbers.has(number)) insertEvent(context, { job, number, type: 'lost', data: {} })
}

function makeEndEvent(row: JobRow): { readonly type: string; readonly data: JobOutcome } {
  const { status, result, error } = readJobRow(row)
  const data = { status, ...(error === undefined ? {} : { error }), ...(result === undefined ? {} : { result }) }
  return { type: status, data: data as JobOutcome }
}

const actualCounts = `SELECT s.value AS status, (SELECT count(*) FROM job j WHERE j.status = s.value) AS jobs
  FROM json_each('["queued","running","completed","failed","cancelled"]') s`

const counts: LinkCheck = {
  table: 'job_count',
  find: context =>
    context
      .sql<{ name: string }>(
        `SELECT status AS name FROM (SELECT * FROM (${actualCounts}) EXCEPT SELECT status, jobs FROM job_count)
         UNION SELECT status FROM (SELECT status, jobs FROM job_count EXCEPT SELECT * FROM (${actualCounts}))`,
      )
      .all()
      .map(({ name }) => name),
  repair: context => {
    context.sql('DELETE FROM job_count').run()
    context.sql(`INSERT INTO job_count ${actualCounts}`).run()
  },
}

export const serviceLinkChecks: readonly LinkCheck[] = [eventNumbers, counts]
