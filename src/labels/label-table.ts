import type { StoredLabel } from '../../cache/records.js'
import { dateTime } from '../../base/text/numbers.js'
import type { Paint } from '../present/text/layout/paint.js'
import { table, type Column } from '../present/text/layout/table.js'
import { clip } from '../present/text/layout/width.js'

const columns: readonly Column[] = [
  { title: 'label' },
  { title: 'doc', least: 12 },
  { title: 'run', drop: 3 },
  { title: 'author', least: 8, drop: 1 },
  { title: 'made', drop: 4 },
  { title: 'note', least: 14, drop: 2 },
]

/** One line for each label. */
export function labelTable(labels: readonly StoredLabel[], paint: Paint): string[] {
  if (labels.length === 0) return ['no labels yet. Make one: pipeline labels add RUN TASK/DOC right']
  const rows = labels.map(({ label, task, doc, run, author, at, note }) => [
    label ?? 'none',
    clip(`${task}/${doc}`, 60),
    run,
    clip(author, 30),
    dateTime(at),
    clip(note.split('\n', 1)[0] ?? '', 60),
  ])
  return table(columns, rows, paint)
}
