import type { NewJob } from '../../store.js'
import type { Context } from '../connection/context.js'
import { type JobProgress, type JobRow, checkedJob, newJobContent, sumOfJob } from '../../rows/jobs.js'

/** Finds a job by the id that clients use. @throws DamagedRowError if its checksum is wrong */
export function findJobRow(context: Context, uuid: string): JobRow | undefined {
  const row = context.sql<JobRow>('SELECT * FROM job WHERE uuid = ?').get(uuid)
  return row && checkedJob(context, row)
}

/** Adds a queued job. Call inside a write transaction. */
export function insertJob(context: Context, job: NewJob): JobRow {
  const content = newJobContent(job, context.now())
  const row = { ...content, owner: null, token: 0, sum: sumOfJob(context, content) }
  const columns = Object.keys(row)
  const values = columns.map(column => `@${column}`)
  const sql = `INSERT INTO job (${columns.join(', ')}) VALUES (${values.join(', ')})`
  return { id: Number(context.sql(sql).run(row).lastInsertRowid), ...row }
}

const updateSql = `
  UPDATE job SET status = @status, started = @started, finished = @finished, starts = @starts, cancelling = @cancelling,
    stage = @stage, run = @run, result = @result, error = @error, attempts = @attempts, webhook_due = @webhook_due, owner = @owner,
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
