import { hexDigits, type AnswerDigest, type RecordKey } from '../../digest.js'
import { checkLabel } from '../../facts/label-rules.js'
import { answersKey } from '../../keys.js'
import type { Judgement, LabelAddress, MadeLabel, NewLabel, PlacedLabels, Run, StoredLabel } from '../../records.js'
import { byDoc, checkItem, type CheckableItem } from '../../rows/answers.js'
import { readLabelRow, sumOfLabel, type LabelRow } from '../../rows/remarks.js'
import type { LabelStore } from '../../store.js'
import {
  splitColumns,
  digestSql,
  fromColumn,
  nowSql,
  takeNumbers,
  toColumn,
  type Context,
} from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { pages } from '../pages.js'

/** Opens the labels of a store on PostgreSQL. */
export const postgresLabels = (context: Context): LabelStore => ({
  add: label => addLabel(context, label),
  async merge(labels) {
    for (const label of labels) checkLabel(label)
    return context.db.write(query => insertMissing(context, query, labels))
  },
  of: addresses => context.db.read(query => readHistories(context, query, addresses)),
  ofRun: (run, judgement) => context.db.read(query => placedLabels(context, query, run, judgement)),
  list: after => list(context, after),
})

async function addLabel(context: Context, label: NewLabel): Promise<StoredLabel> {
  checkLabel(label)
  return context.db.write(async query => {
    const id = await takeNumbers(context, query, 'label', 1)
    const [times] = await query<{ now: number; last: number | null }>(
      `SELECT ${nowSql} AS now, max(at) AS last FROM label WHERE record = decode($1, 'hex') AND answers = decode($2, 'hex') AND author = $3`,
      [hexDigits(label.record), hexDigits(label.answers), label.author],
    )
    // Two labels may fall into one millisecond, and clocks are set back. The label that is made last must count.
    const timedLabel = { ...label, at: Math.max(times?.now ?? 0, (times?.last ?? 0) + 1) }
    await insertLabels(context, query, [{ ...timedLabel, id }])
    return { ...timedLabel, id }
  })
}

/** Call inside a write transaction. @returns the number of labels that were missing */
export async function insertMissing(context: Context, query: Query, labels: readonly MadeLabel[]): Promise<number> {
  if (labels.length === 0) return 0
  const first = await takeNumbers(context, query, 'label', labels.length)
  const unique = [...new Map(labels.map(label => [sumOfContent(label), label])).values()]
  const missing = await query<{ place: number }>(
    `SELECT u.place FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[])
       WITH ORDINALITY u(record, answers, author, at, label, note, place)
     WHERE NOT EXISTS (SELECT 1 FROM label l WHERE l.record = decode(u.record, 'hex') AND l.answers = decode(u.answers, 'hex')
       AND l.author = u.author AND l.at = u.at AND l.label IS NOT DISTINCT FROM u.label AND l.note = u.note) ORDER BY u.place`,
    splitColumns(unique.map(toLabelColumns), ['record', 'answers', 'author', 'at', 'label', 'note']),
  )
  await insertLabels(
    context,
    query,
    missing.flatMap(({ place }, index) => {
      const label = unique[place - 1]
      return label === undefined ? [] : [{ ...label, id: first + index }]
    }),
  )
  return missing.length
}

/** Computes the checksum of a label's content. Labels are the same if everything except their run and doc is equal. */
const sumOfContent = ({ record, answers, author, at, label, note }: MadeLabel): string =>
  JSON.stringify([record, answers, author, at, label, note])

const toLabelColumns = <Label extends MadeLabel>(label: Label) => ({
  ...label,
  record: hexDigits(label.record),
  answers: hexDigits(label.answers),
  task: toColumn(label.task),
  doc: toColumn(label.doc),
})

async function insertLabels(context: Context, query: Query, labels: readonly StoredLabel[]): Promise<void> {
  const rows = labels.map(label => ({ ...toLabelColumns(label), sum: sumOfLabel(context, label) }))
  await query(
    `INSERT INTO label (id, record, answers, label, note, author, at, run, task, doc, sum)
     SELECT u.id, decode(u.record, 'hex'), decode(u.answers, 'hex'), u.label, u.note, u.author, u.at, u.run, u.task, u.doc, u.sum
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[], $10::text[], $11::bigint[])
       u(id, record, answers, label, note, author, at, run, task, doc, sum)`,
    splitColumns(rows, ['id', 'record', 'answers', 'label', 'note', 'author', 'at', 'run', 'task', 'doc', 'sum']),
  )
}

/** The columns of a label `l`, in the form of `LabelRow`. */
export const labelColumns = `l.id, ${digestSql('l.record')} AS record, ${digestSql('l.answers')} AS answers, l.label, l.note, l.author, l.at, l.run, l.task, l.doc, l.sum`

/** Restores the original texts of a row. */
export const fromLabelRow = (row: LabelRow): LabelRow => ({
  ...row,
  task: fromColumn(row.task),
  doc: fromColumn(row.doc),
})

async function readHistories(
  context: Context,
  query: Query,
  addresses: readonly LabelAddress[],
): Promise<readonly (readonly StoredLabel[])[]> {
  const rows = await query<LabelRow & { readonly place: number }>(
    `SELECT u.place, ${labelColumns} FROM unnest($1::text[], $2::text[]) WITH ORDINALITY u(record, answers, place)
       JOIN label l ON l.record = decode(u.record, 'hex') AND l.answers = decode(u.answers, 'hex') ORDER BY u.place, l.id`,
    [addresses.map(({ record }) => hexDigits(record)), addresses.map(({ answers }) => hexDigits(answers))],
  )
  const histories = addresses.map((): StoredLabel[] => [])
  for (const { place, ...row } of rows) histories[place - 1]?.push(readLabelRow(context, fromLabelRow(row)))
  return histories
}

interface PlacedRow extends CheckableItem {
  readonly record_key: RecordKey
  readonly digest: AnswerDigest | null
}

const placesSql = `
  WITH labelled AS MATERIALIZED (SELECT DISTINCT c.id, c.key FROM label l JOIN record c ON c.key = l.record),
    place AS MATERIALIZED (
      SELECT i.task, i.doc, c.key FROM labelled c JOIN item i ON i.record = c.id AND i.run = $1
      WHERE NOT EXISTS (SELECT 1 FROM revision o WHERE o.judgement = $2 AND o.task = i.task AND o.doc = i.doc)
      UNION SELECT o.task, o.doc, c.key FROM labelled c JOIN revision o ON o.record = c.id AND o.judgement = $2)
  SELECT i.id AS item, i.record AS item_record, i.sum AS item_sum, i.task, i.doc, i.choice, i.sample, i.doc_id, i.request,
    ${digestSql('p.key')} AS record_key, ${digestSql('s.digest')} AS digest
  FROM place p JOIN item i ON i.run = $1 AND i.task = p.task AND i.doc = p.doc
    LEFT JOIN response s ON s.request = i.request
  ORDER BY i.task, i.doc, i.choice, i.sample`

/** Returns the docs of the run that have labels. */
export async function placedLabels(
  context: Context,
  query: Query,
  run: Run,
  judgement: Judgement | undefined,
): Promise<readonly PlacedLabels[]> {
  const rows = await query<PlacedRow>(placesSql, [run.ref, judgement?.ref ?? null])
  const docs = byDoc(rows.map(row => ({ ...row, doc_id: fromColumn(row.doc_id) }))).flatMap(doc => {
    for (const row of doc) checkItem(context, run.ref, row)
    const answers = doc.flatMap(({ digest }) => digest ?? [])
    const [first] = doc
    // The labels belong to other answers to the same doc, because here an answer is missing.
    if (first === undefined || answers.length < doc.length) return []
    return [{ task: first.task, index: first.doc, address: { record: first.record_key, answers: answersKey(answers) } }]
  })
  const histories = await readHistories(
    context,
    query,
    docs.map(({ address }) => address),
  )
  return docs.flatMap(({ task, index }, place) => {
    const labels = histories[place] ?? []
    return labels.length === 0 ? [] : [{ task, index, labels }]
  })
}

async function* list(context: Context, after = 0): AsyncGenerator<StoredLabel> {
  const read = (last: LabelRow | undefined): Promise<readonly LabelRow[]> =>
    context.db.read(query =>
      query(`SELECT ${labelColumns} FROM label l WHERE l.id > $1 ORDER BY l.id LIMIT 500`, [last?.id ?? after]),
    )
  for await (const rows of pages(read)) for (const row of rows) yield readLabelRow(context, fromLabelRow(row))
}
