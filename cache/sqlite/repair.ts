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
      context.sql('DELETE FROM response WHERE seq = ?').run(id)
      return
    case 'score':
      context.sql('DELETE FROM verdict WHERE score = ?').run(id)
      context.sql('DELETE FROM score WHERE id = ?').run(id)
      return
    case 'failure':
    case 'judgement':
    case 'run':
      context.sql(`DELETE FROM ${table} WHERE id = ?`).run(id)
      return
    case 'item':
      rewind(context, 'i.id = ?', id)
      context.sql('DELETE FROM item WHERE id = ?').run(id)
      return
    case 'request':
      rewind(context, 'i.request = ?', id)
      context.sql('DELETE FROM item WHERE request = ?').run(id)
      context.sql('DELETE FROM response WHERE request = ?').run(id)
      context.sql('DELETE FROM lease WHERE request = ?').run(id)
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
      rewind(context, 'i.request IN (SELECT id FROM request WHERE config = ?1 OR code = ?1)', id)
      blank(context, table, id)
      return
    default:
      throw new Error(`internal error: no repair for ${table}`)
  }
}

/** A medium that is gone comes back with the docs that show it. */
export const readAgainFor = (context: Context, medium: string): Promise<void> =>
  context.commit.add(() => {
    rewind(
      context,
      'i.request IN (SELECT r.id FROM request r JOIN instance n ON n.id = r.instance WHERE instr(n.preimage, ?) > 0)',
      medium,
    )
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

function blank(context: Context, table: 'instance' | 'record' | 'preimage', id: number): void {
  context.sql(`UPDATE ${table} SET preimage = '' WHERE id = ?`).run(id)
  context.sql("UPDATE counter SET value = value + 1 WHERE name = 'blank-texts'").run()
}
