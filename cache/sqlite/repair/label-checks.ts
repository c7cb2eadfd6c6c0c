/** Checks labels and tags. No other row can restore what people wrote, so damaged ones are dropped. */
import { labelColumns } from '../labels/label-rows.js'
import type { RowCheck } from './checks.js'
import { type LabelRow, type TagRow, sumOfLabel, sumOfTag } from '../../rows/remarks.js'

const pageSize = 1000

const labels: RowCheck = {
  table: 'label',
  rows: (context, after) =>
    context
      .sql<LabelRow>(`SELECT ${labelColumns} FROM label WHERE id > ? ORDER BY id LIMIT ${pageSize}`)
      .all(after)
      .map(({ sum, ...label }) => ({
        id: label.id,
        name: `number ${label.id} by ${label.author} of doc ${label.doc} of ${label.task}`,
        isSound: sumOfLabel(context, label) === sum,
      })),
}

const tags: RowCheck = {
  table: 'run_tag',
  rows: (context, after) =>
    context
      .sql<TagRow>(`SELECT * FROM run_tag WHERE id > ? ORDER BY id LIMIT ${pageSize}`)
      .all(after)
      .map(row => ({
        id: row.id,
        name: `"${row.tag}" of run ${row.run}`,
        isSound: sumOfTag(context, row) === row.sum,
      })),
}

export const labelChecks: readonly RowCheck[] = [labels, tags]
