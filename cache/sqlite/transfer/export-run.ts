import { RowNumberSet } from '../../rows/row-number-set.js'
import type { ExportedRun, FailureRow, ItemRow, PreimageRow, ResponseRow, RunTables } from '../../bundle/portable.js'
import { digestBytes, digestOfBytes, type AnswerDigest, type InputKey, type RecordKey } from '../../digest.js'
import type { Judgement, Run } from '../../records.js'
import type { Context } from '../connection/context.js'
import { whileUnchanged } from '../connection/unchanged.js'
import { listJudgements } from '../judging/judgements.js'
import { readFewRows, pages } from '../pages.js'
import { digestSql } from '../rows.js'
import { readRemarks } from './remarks.js'
import { portableJudgement, verdicts } from './export-judgement.js'
import { inputProgress } from '../work/docs.js'
import { counts, listJudgeRuns } from '../work/runs.js'
import { checkedBodyText } from '../../rows/answers.js'
import { taskName } from '../../rows/runs.js'
import { DamagedRowError, checkedText } from '../../rows/sums.js'

/** Reads a run as rows that mean the same in every store. See `PortableStore.exportRun`. */
export function exportRun(context: Context, run: Run): ExportedRun {
  const judgements = listJudgements(context, run)
  return {
    id: run.id,
    name: run.name,
    asked: run.asked,
    provenance: run.provenance,
    createdAt: run.createdAt,
    progress: run.asked.tasks.map((_, task) => inputProgress(context, run, task)),
    pending: counts(context, run).pending,
    ...makeRunTables(context, run, judgements),
    judgements: judgements.map(judgement => portableJudgement(context, run, judgement)),
    // The function is asynchronous, so that an error of the read is a rejection.
    remarks: async () => Promise.resolve(readRemarks(context, run, judgements)),
    judgeCalls: async () => Promise.resolve(listJudgeRuns(context, run).map(calls => exportRun(context, calls))),
    stamp: stamp(context, run),
  }
}

/** See `PortableStore.runTables`. */
export function runTables(context: Context, run: Run): RunTables {
  const judgements = listJudgements(context, run)
  return {
    ...makeRunTables(context, run, judgements),
    judgements: judgements.map(judgement => ({
      number: judgement.number,
      verdicts: () => verdicts(context, run, judgement),
    })),
  }
}

const makeRunTables = (
  context: Context,
  run: Run,
  judgements: readonly Judgement[],
): Omit<RunTables, 'judgements'> => ({
  preimages: () => preimages(context, run, judgements),
  items: () => items(context, run),
  responses: () => responses(context, run),
  failures: () => failures(context, run),
})

const stamp = (context: Context, run: Run): string =>
  whileUnchanged(context, `stamp ${run.ref}`, () => readStamp(context, run))

function readStamp(context: Context, run: Run): string {
  const row = context
    .sql<{ text: string }>(
      `SELECT printf('items:%d@%d responses:%d@%d failures:%d@%d', count(*), max(i.id), count(s.seq), max(s.seq),
         (SELECT count(*) FROM failure WHERE run = @run), (SELECT max(id) FROM failure WHERE run = @run)) AS text
       FROM item i LEFT JOIN response s ON s.request = i.request WHERE i.run = @run`,
    )
    .get({ run: run.ref })
  return row?.text ?? ''
}

async function* preimages(
  context: Context,
  run: Run,
  judgements: readonly Judgement[],
): AsyncGenerator<readonly PreimageRow[]> {
  type Row = { id: number; kind: string; key: Buffer; preimage: string }
  const used = context
    .sql<Row>(
      `SELECT p.* FROM preimage p WHERE p.id IN (SELECT r.config FROM item i JOIN request r ON r.id = i.request WHERE i.run = @run)
         OR p.id IN (SELECT r.code FROM item i JOIN request r ON r.id = i.request WHERE i.run = @run)`,
    )
    .all({ run: run.ref })
  const namedRows = [
    run.asked.code,
    ...run.asked.tasks.map(task => task.identity),
    ...judgements.flatMap(judgement => judgement.tasks.flatMap(({ config, scorer }) => [config, scorer])),
  ].flatMap(key => context.sql<Row>('SELECT * FROM preimage WHERE key = ?').all(digestBytes(key)))
  const byKey = new Map([...used, ...namedRows].map(row => [digestOfBytes(row.key) as string, row]))
  const sorted = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))
  yield await Promise.resolve(
    sorted.map(([key, row]) => ({
      kind: row.kind,
      key,
      preimage: checkedText('preimage', row.id, digestOfBytes(row.key), row.preimage),
    })),
  )
}

const itemKey = '(i.task, i.doc, i.choice, i.sample)'
const order = 'ORDER BY i.task, i.doc, i.choice, i.sample'
interface ExportPlace {
  readonly task: number
  readonly doc: number
  readonly choice: number
  readonly sample: number
}
const makeCursor = (last: ExportPlace | undefined): readonly number[] =>
  last === undefined ? [-1, -1, -1, -1] : [last.task, last.doc, last.choice, last.sample]

/** Looks up keys of configs and codes. A run has few of them, shared by many items. */
function preimageKeys(context: Context): (id: number | null) => string | null {
  const keysById = new Map<number, string>()
  return id => {
    if (id === null) return null
    const key =
      keysById.get(id) ??
      context.sql<{ key: string }>(`SELECT ${digestSql('key')} AS key FROM preimage WHERE id = ?`).get(id)?.key
    if (key === undefined) throw new DamagedRowError('preimage', id)
    keysById.set(id, key)
    return key
  }
}

const charactersInItem = ({
  input,
  record,
}: {
  readonly input: string | null
  readonly record: string | null
}): number => (input?.length ?? 0) + (record?.length ?? 0)

async function* items(context: Context, run: Run): AsyncGenerator<readonly ItemRow[]> {
  type Row = ExportPlace & {
    doc_id: string
    request: number | null
    response_key: string | null
    instance: number
    input_key: InputKey | null
    input: string | null
    config: number | null
    code: number | null
    draw: number | null
    record_id: number
    record_key: RecordKey
    /** Null if the record is lost. */
    record: string | null
  }
  const sql = `
    SELECT i.task, i.doc, i.choice, i.sample, i.doc_id, i.request, ${digestSql('r.key')} AS response_key,
      n.id AS instance, ${digestSql('n.key')} AS input_key, n.preimage AS input,
      r.config, r.code, r.sample AS draw, i.record AS record_id, ${digestSql('c.key')} AS record_key, c.preimage AS record
    FROM item i LEFT JOIN record c ON c.id = i.record LEFT JOIN request r ON r.id = i.request LEFT JOIN instance n ON n.id = r.instance
    WHERE i.run = ? AND ${itemKey} > (?, ?, ?, ?) ${order}`
  const keyOf = preimageKeys(context)
  const read = (last: Row | undefined): readonly Row[] =>
    readFewRows(context.sql<Row>(sql).iterate(run.ref, ...makeCursor(last)), charactersInItem)
  for await (const rows of pages<Row>(read)) {
    for (const { request, input } of rows)
      if (request !== null && input === null) throw new DamagedRowError('request', request)
    yield rows.map(row => ({
      task: taskName(run, row.task),
      doc_index: row.doc,
      doc_id: row.doc_id,
      choice: row.choice,
      sample: row.sample,
      draw: row.draw === row.sample ? null : row.draw,
      response_key: row.response_key,
      input_key: row.input_key,
      input:
        row.input_key === null || row.input === null
          ? null
          : checkedText('instance', row.instance, row.input_key, row.input),
      config_key: keyOf(row.config),
      code_key: keyOf(row.code),
      record_key: row.record_key,
      record: checkedText('record', row.record_id, row.record_key, row.record),
    }))
  }
}

async function* responses(context: Context, run: Run): AsyncGenerator<readonly ResponseRow[]> {
  type Row = ExportPlace & {
    request: number
    key: string
    seq: number
    digest: AnswerDigest
    body: string
    meta: string
    sum: number
  }
  const sql = `
    SELECT i.task, i.doc, i.choice, i.sample, i.request, ${digestSql('r.key')} AS key,
      s.seq, ${digestSql('s.digest')} AS digest, s.body, s.meta, s.sum
    FROM item i JOIN request r ON r.id = i.request JOIN response s ON s.request = i.request
    WHERE i.run = ? AND ${itemKey} > (?, ?, ?, ?) ${order}`
  const exportedRequests = new RowNumberSet()
  const read = (last: Row | undefined): readonly Row[] =>
    readFewRows(
      context.sql<Row>(sql).iterate(run.ref, ...makeCursor(last)),
      ({ body, meta }) => body.length + meta.length,
    )
  for await (const rows of pages<Row>(read)) {
    // A set in memory is used, because asking SQLite for an earlier item with the request takes as long as reading the
    // answer.
    const first = rows.filter(({ request }) => exportedRequests.add(request))
    yield first.map(row => ({
      response_key: row.key,
      answer: row.digest,
      body: checkedBodyText(context, row),
      meta: row.meta,
    }))
  }
}

async function* failures(context: Context, run: Run): AsyncGenerator<readonly FailureRow[]> {
  type Row = ExportPlace & Omit<FailureRow, 'task'>
  const sql = `
    SELECT i.task, i.doc, i.choice, i.sample, i.doc AS doc_index, f.class, f.message, f.attempts, f.at
    FROM item i JOIN failure f ON f.item = i.id LEFT JOIN response s ON s.request = i.request
    WHERE i.run = ? AND s.seq IS NULL ${order}, f.at, f.id`
  const rows = context.sql<Row>(sql).all(run.ref)
  if (rows.length > 0) {
    yield await Promise.resolve(
      rows.map(({ task, doc_index, choice, sample, class: failureClass, message, attempts, at }) => ({
        task: taskName(run, task),
        doc_index,
        choice,
        sample,
        class: failureClass,
        message,
        attempts,
        at,
      })),
    )
  }
}
