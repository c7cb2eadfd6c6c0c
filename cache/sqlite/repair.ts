import type { Context } from './context.js'
import type { DamagedRow } from './verify.js'

/**
 * Drops what is damaged, and only that, so that the next run computes it again.
 *
 * A text that only the dataset can give back (a prompt, a judge record) is blanked and the tasks that use it are read
 * again from there; the answers to it stay.
 */
export function repairRows(context: Context, damaged: readonly DamagedRow[]): Promise<void> {
  return context.commit.add(() => {
    for (const row of damaged) repairRow(context, row)
  })
}

function repairRow(context: Context, { table, id }: DamagedRow): void {
  switch (table) {
    case 'response':
      unjudge(context, 'i.request = (SELECT request FROM response WHERE seq = ?)', id)
      context.sql('DELETE FROM response WHERE seq = ?').run(id)
      return
    case 'score':
      reopen(context, 'SELECT judgement FROM verdict WHERE score = ?', id)
      context.sql('DELETE FROM verdict WHERE score = ?').run(id)
      context.sql('DELETE FROM score WHERE id = ?').run(id)
      return
    case 'batch':
    case 'failure':
    case 'judgement':
    case 'memory':
    case 'run':
      context.sql(`DELETE FROM ${table} WHERE id = ?`).run(id)
      return
    case 'item':
      rewind(context, 'i.id = ?', id)
      unjudge(context, 'i.id = ?', id)
      dropDocs(context, 'id = ?', id)
      return
    case 'request':
      rewind(context, 'i.request = ?', id)
      unjudge(context, 'i.request = ?', id)
      dropDocs(context, 'request = ?', id)
      context.sql('DELETE FROM response WHERE request = ?').run(id)
      context.sql('DELETE FROM lease WHERE request = ?').run(id)
      context.sql('DELETE FROM batch_request WHERE request = ?').run(id)
      context.sql('DELETE FROM failure WHERE request = ?').run(id)
      context.sql('DELETE FROM request WHERE id = ?').run(id)
      return
    case 'instance':
      rewind(context, 'i.request IN (SELECT id FROM request WHERE instance = ?)', id)
      blank(context, table, id)
      return
    case 'record':
      rewind(context, 'i.record = ?', id)
      blank(context, table, id)
      return
    case 'preimage':
      rewind(context, 'i.request IN (SELECT id FROM request WHERE ? IN (config, code))', id)
      blank(context, table, id)
      return
    default:
      throw new Error(`internal error: no repair for ${table}`)
  }
}

/** A medium that is gone comes back with the docs that show it, which then have failed for no reason that still holds. */
export const readAgainFor = (context: Context, medium: string): Promise<void> =>
  context.commit.add(() => {
    const showing = 'SELECT r.id FROM request r JOIN instance n ON n.id = r.instance WHERE instr(n.preimage, ?) > 0'
    rewind(context, `i.request IN (${showing})`, medium)
    context.sql(`DELETE FROM failure WHERE class = 'media' AND request IN (${showing})`).run(medium)
  })

/** Lets the input stage read again from the first doc that is concerned, in each run. */
function rewind(context: Context, where: string, id: number | string): void {
  const places = context
    .sql<{ run: number; task: number; doc: number }>(
      `SELECT i.run, i.task, min(i.doc) AS doc FROM item i WHERE ${where} GROUP BY i.run, i.task`,
    )
    .all(id)
  for (const { run, task, doc } of places) {
    context
      .sql('UPDATE input_progress SET docs = min(docs, ?), finished = 0 WHERE run = ? AND task = ?')
      .run(doc, run, task)
  }
}

/** All items of each doc: the judge would take one of which some are left for whole. */
function dropDocs(context: Context, where: string, id: number): void {
  const docs = `SELECT run, task, doc FROM item WHERE ${where}`
  context.sql(`DELETE FROM item WHERE (run, task, doc) IN (${docs})`).run(id)
}

function blank(context: Context, table: 'instance' | 'record' | 'preimage', id: number): void {
  context.sql(`UPDATE ${table} SET preimage = '' WHERE id = ?`).run(id)
  context.sql("UPDATE counter SET value = value + 1 WHERE name = 'blank-texts'").run()
}

/** Takes back the scores of docs whose answers are not what was scored. */
function unjudge(context: Context, where: string, id: number): void {
  const docs = `SELECT v.judgement, v.task, v.doc FROM verdict v JOIN judgement j ON j.id = v.judgement
    JOIN item i ON i.run = j.run AND i.task = v.task AND i.doc = v.doc WHERE ${where}`
  reopen(context, `SELECT judgement FROM (${docs})`, id)
  context.sql(`DELETE FROM verdict WHERE (judgement, task, doc) IN (${docs})`).run(id)
}

/** Aggregates over scores that are gone are gone, too: the judge computes them again. */
function reopen(context: Context, judgements: string, id: number): void {
  const rows = context
    .sql<{ id: number; tasks: string }>(`SELECT id, tasks FROM judgement WHERE id IN (${judgements})`)
    .all(id)
  for (const row of rows)
    context
      .sql('UPDATE judgement SET finished = NULL, aggregates = NULL, sum = ? WHERE id = ?')
      .run(context.sum(row.tasks, null), row.id)
}
