import { answersKey } from '../../keys.js'
import { hexDigits, type AnswerDigest, type RecordKey } from '../../digest.js'
import { checkLabel } from '../../facts/label-rules.js'
import type { Judgement, LabelAddress, MadeLabel, NewLabel, PlacedLabels, Run, StoredLabel } from '../../records.js'
import type { LabelStore } from '../../store.js'
import type { Context, Read } from '../connection/context.js'
import { whileUnchanged } from '../connection/unchanged.js'
import { pages } from '../pages.js'
import { digestSql } from '../rows.js'
import { labelColumns } from './label-rows.js'
import { type CheckableItem, byDoc, checkItem } from '../../rows/answers.js'
import { type LabelRow, readLabelRow, sumOfLabel } from '../../rows/remarks.js'

/** Opens the labels of an SQLite store. */
export const sqliteLabels = (context: Context, read: Read): LabelStore => ({
  add: label => add(context, label),
  merge: labels => merge(context, labels),
  of: addresses => read(() => addresses.map(address => readLabelHistory(context, address))),
  ofRun: (run, judgement) =>
    read(() =>
      whileUnchanged(context, `labels ${run.ref} ${judgement?.ref ?? ''}`, () => placedLabels(context, run, judgement)),
    ),
  list: after => list(context, after),
})

async function add(context: Context, label: NewLabel): Promise<StoredLabel> {
  checkLabel(label)
  return context.commit.add(() => {
    const last = context
      .sql<{ at: number | null }>(
        'SELECT max(at) AS at FROM label WHERE record = unhex(?) AND answers = unhex(?) AND author = ?',
      )
      .get(hexDigits(label.record), hexDigits(label.answers), label.author)
    // Two labels may fall into one millisecond, and clocks are set back. The label that is made last must count.
    const timedLabel = { ...label, at: Math.max(context.now(), (last?.at ?? 0) + 1) }
    return { ...timedLabel, id: insert(context, timedLabel) }
  })
}

async function merge(context: Context, labels: readonly MadeLabel[]): Promise<number> {
  for (const label of labels) checkLabel(label)
  return context.commit.add(() => insertMissing(context, labels))
}

/** Call inside a write transaction. @returns the number of labels that were missing */
export function insertMissing(context: Context, labels: readonly MadeLabel[]): number {
  const missing = labels.filter(label => {
    if (isPresent(context, label)) return false
    insert(context, label)
    return true
  })
  return missing.length
}

const isPresent = (context: Context, { record, answers, author, at, label, note }: MadeLabel): boolean =>
  context
    .sql(
      'SELECT 1 FROM label WHERE record = unhex(?) AND answers = unhex(?) AND author = ? AND at = ? AND label IS ? AND note = ?',
    )
    .get(hexDigits(record), hexDigits(answers), author, at, label, note) !== undefined

/** Call inside a write transaction. @returns the label's number */
function insert(context: Context, timedLabel: MadeLabel): number {
  const { record, answers, label, note, author, at, run, task, doc } = timedLabel
  const { lastInsertRowid } = context
    .sql(
      `INSERT INTO label (record, answers, label, note, author, at, run, task, doc, sum)
       VALUES (unhex(?), unhex(?), ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      hexDigits(record),
      hexDigits(answers),
      label,
      note,
      author,
      at,
      run,
      task,
      doc,
      sumOfLabel(context, timedLabel),
    )
  return Number(lastInsertRowid)
}

const readLabelHistory = (context: Context, { record, answers }: LabelAddress): readonly StoredLabel[] =>
  context
    .sql<LabelRow>(`SELECT ${labelColumns} FROM label WHERE record = unhex(?) AND answers = unhex(?) ORDER BY id`)
    .all(hexDigits(record), hexDigits(answers))
    .map(row => readLabelRow(context, row))

interface PlacedRow extends CheckableItem {
  readonly record_key: RecordKey
  readonly digest: AnswerDigest | null
}

// CROSS JOIN fixes the order of the join in SQLite. Otherwise it may read all items of the run to find a few labels.
const placesSql = `
  WITH labelled AS (SELECT DISTINCT c.id, c.key FROM label l CROSS JOIN record c ON c.key = l.record),
    place AS (
      SELECT i.task, i.doc, c.key FROM labelled c CROSS JOIN item i ON i.record = c.id AND i.run = @run
      WHERE NOT EXISTS (SELECT 1 FROM revision o WHERE o.judgement = @judgement AND o.task = i.task AND o.doc = i.doc)
      UNION SELECT o.task, o.doc, c.key FROM labelled c CROSS JOIN revision o ON o.record = c.id AND o.judgement = @judgement)
  SELECT i.id AS item, i.record AS item_record, i.sum AS item_sum, i.task, i.doc, i.choice, i.sample, i.doc_id, i.request,
    ${digestSql('p.key')} AS record_key, ${digestSql('s.digest')} AS digest
  FROM place p CROSS JOIN item i ON i.run = @run AND i.task = p.task AND i.doc = p.doc
    LEFT JOIN response s ON s.request = i.request
  ORDER BY i.task, i.doc, i.choice, i.sample`

/** Call inside a read. @returns the docs of the run that have labels */
export function placedLabels(context: Context, run: Run, judgement: Judgement | undefined): readonly PlacedLabels[] {
  const rows = context.sql<PlacedRow>(placesSql).all({ run: run.ref, judgement: judgement?.ref ?? null })
  return byDoc(rows).flatMap(doc => {
    for (const row of doc) checkItem(context, run.ref, row)
    const answers = doc.flatMap(({ digest }) => digest ?? [])
    const [first] = doc
    // The labels belong to other answers to the same doc, because here an answer is missing.
    if (first === undefined || answers.length < doc.length) return []
    const labels = readLabelHistory(context, { record: first.record_key, answers: answersKey(answers) })
    return labels.length === 0 ? [] : [{ task: first.task, index: first.doc, labels }]
  })
}

const listSql = `SELECT ${labelColumns} FROM label WHERE id > ? ORDER BY id LIMIT 500`

async function* list(context: Context, after = 0): AsyncGenerator<StoredLabel> {
  const read = (last: LabelRow | undefined): readonly LabelRow[] =>
    context.sql<LabelRow>(listSql).all(last?.id ?? after)
  for await (const rows of pages(read)) for (const row of rows) yield readLabelRow(context, row)
}
