import type { Context } from '../connection/context.js'

/** Numbers of judgements follow from what they are, not from the order in which they came. Call inside a write transaction. */
export function renumberJudgements(context: Context, run: number): void {
  const rows = context.sql<{ id: number }>('SELECT id FROM judgement WHERE run = ? ORDER BY created, tasks').all(run)
  // Numbers are unique: free all of them first.
  for (const sign of [-1, 1]) {
    for (const [index, { id }] of rows.entries())
      context.sql('UPDATE judgement SET number = ? WHERE id = ?').run(sign * (index + 1), id)
  }
}
