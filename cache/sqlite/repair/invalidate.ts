/** Invalidates damaged parts of a run, so that the next start computes them again. Call inside a write transaction. */
import type { Context } from '../connection/context.js'
import { progressSum } from '../rows.js'

/** Selects runs that read their docs from a dataset. Runs of judge calls and of conversation rounds do not. */
const isRead = `EXISTS (SELECT 1 FROM run r WHERE r.id = run AND json_valid(r.asked)
  AND json_extract(r.asked, '$.judge') IS NULL AND json_extract(r.asked, '$.rounds') IS NULL)`

/** Makes the input stage continue from the first affected doc of each run. */
export function rewind(context: Context, where: string, ...values: readonly (number | string)[]): void {
  const places = context
    .sql<{ run: number; task: number; doc: number }>(
      `SELECT i.run, i.task, min(i.doc) AS doc FROM item i WHERE ${where} GROUP BY i.run, i.task`,
    )
    .all(...values)
  for (const { run, task, doc } of places) {
    context
      .sql(
        `UPDATE input_progress SET docs = min(docs, @doc), finished = 0, sum = ${progressSum('min(docs, @doc)', '0')}
         WHERE run = @run AND task = @task AND typeof(docs) = 'integer' AND ${isRead}`,
      )
      .run({ doc, run, task })
  }
}

/** Makes the input stage start again with tasks that have fewer docs than were read. */
export function rewindGaps(context: Context): void {
  context
    .sql(
      `UPDATE input_progress SET docs = 0, finished = 0, sum = ${progressSum('0', '0')}
       WHERE docs > (SELECT count(DISTINCT i.doc) FROM item i WHERE i.run = input_progress.run AND i.task = input_progress.task) AND ${isRead}`,
    )
    .run()
}

/** Deletes all items of each doc, because the judge would take a doc with some items left for complete. */
function dropDocs(context: Context, where: string, id: number): void {
  const docs = `SELECT i.run, i.task, i.doc FROM item i WHERE ${where}`
  const items = `SELECT id FROM item WHERE (run, task, doc) IN (${docs})`
  context.sql(`DELETE FROM failure WHERE item IN (${items})`).run(id)
  context.sql(`DELETE FROM item WHERE (run, task, doc) IN (${docs})`).run(id)
}

/** Deletes the verdicts of docs whose answers differ from those that were scored. */
export function unjudge(context: Context, where: string, id: number): void {
  const docs = `SELECT v.judgement, v.task, v.doc FROM verdict v JOIN judgement j ON j.id = v.judgement
    JOIN item i ON i.run = j.run AND i.task = v.task AND i.doc = v.doc WHERE ${where}`
  reopen(context, `SELECT judgement FROM (${docs})`, id)
  context.sql(`DELETE FROM verdict WHERE (judgement, task, doc) IN (${docs})`).run(id)
}

/** Deletes aggregates that include deleted scores. The judge computes them again. */
export function reopen(context: Context, judgements: string, ...values: readonly number[]): void {
  const rows = context
    .sql<{ id: number; tasks: string }>(`SELECT id, tasks FROM judgement WHERE id IN (${judgements})`)
    .all(...values)
  for (const row of rows)
    context
      .sql('UPDATE judgement SET finished = NULL, aggregates = NULL, sum = ? WHERE id = ?')
      .run(context.sum(row.tasks, null), row.id)
}

/** Deletes docs and their scores. Their answers stay. */
export function invalidateDocs(context: Context, where: string, id: number): void {
  rewind(context, where, id)
  unjudge(context, where, id)
  dropDocs(context, where, id)
}

/** Marks that something is missing, so that docs are used to restore it when they are read again. */
export const expectBack = (context: Context): void =>
  void context.sql("UPDATE counter SET value = 1 WHERE name = 'blank-texts'").run()

/** Deletes a request without an answer, so that nothing paid for is lost. */
export function dropRequest(context: Context, id: number): void {
  invalidateDocs(context, 'i.request = ?', id)
  for (const table of ['lease', 'batch_request', 'failure', 'response'])
    context.sql(`DELETE FROM ${table} WHERE request = ?`).run(id)
  context.sql('DELETE FROM request WHERE id = ?').run(id)
}

/** Tells whether a request has an answer or is in a provider's batch, and so was paid for. */
export const isPaid = (context: Context, request: number): boolean =>
  context
    .sql('SELECT 1 FROM response WHERE request = @id UNION ALL SELECT 1 FROM batch_request WHERE request = @id')
    .get({ id: request }) !== undefined
