import type { ExportedRun, FailureRow, ItemRow, PreimageRow, ResponseRow, RunTables } from '../../bundle/portable.js'
import { digestOfBytes, hexDigits, type AnswerDigest, type InputKey, type RecordKey } from '../../digest.js'
import type { Judgement, Run } from '../../records.js'
import { checkedBodyText } from '../../rows/answers.js'
import { RowNumberSet } from '../../rows/row-number-set.js'
import { taskName } from '../../rows/runs.js'
import { checkedText } from '../../rows/sums.js'
import { digestSql, fromColumn, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { listJudgements } from '../judging/judgements.js'
import { pages } from '../pages.js'
import { inputProgress } from '../work/docs.js'
import { listJudgeRuns, readCounts } from '../work/runs.js'
import { portableJudgement, verdicts } from './export-judgement.js'
import { readRemarks } from './remarks.js'

/** The maximum number of rows in a page. It is small because rows hold prompts. */
const exportPage = 500

/** Reads a run as rows that mean the same in every store. See `PortableStore.exportRun`. */
export async function exportRun(context: Context, run: Run): Promise<ExportedRun> {
  return context.db.snapshot(async query => {
    const judgements = await listJudgements(context, query, run)
    const progress = []
    for (const task of run.asked.tasks.keys()) progress.push(await inputProgress(context, query, run, task))
    const portable = []
    for (const judgement of judgements) portable.push(await portableJudgement(context, query, run, judgement))
    const { pending } = await readCounts(context, query, run)
    return {
      ...{ id: run.id, name: run.name, asked: run.asked, provenance: run.provenance, createdAt: run.createdAt },
      ...{ progress, pending, ...makeRunTables(context, run, judgements), judgements: portable },
      remarks: () => readRemarks(context, run, judgements),
      judgeCalls: () => exportJudgeCalls(context, run),
      stamp: await readStamp(query, run),
    }
  })
}

/** Exports the runs that hold the requests to judge models on behalf of a run, in the order of their ids. */
async function exportJudgeCalls(context: Context, run: Run): Promise<readonly ExportedRun[]> {
  const exported = []
  for (const calls of await listJudgeRuns(context, run)) exported.push(await exportRun(context, calls))
  return exported
}

/** See `PortableStore.runTables`. */
export async function runTables(context: Context, run: Run): Promise<RunTables> {
  const judgements = await context.db.read(query => listJudgements(context, query, run))
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

async function readStamp(query: Query, run: Run): Promise<string> {
  const [row] = await query<{ text: string }>(
    `SELECT format('items:%s@%s responses:%s@%s failures:%s@%s', count(*), coalesce(max(i.id), 0), count(s.seq), coalesce(max(s.seq), 0),
       (SELECT count(*) FROM failure WHERE run = $1), (SELECT coalesce(max(id), 0) FROM failure WHERE run = $1)) AS text
     FROM item i LEFT JOIN response s ON s.request = i.request WHERE i.run = $1`,
    [run.ref],
  )
  return row?.text ?? ''
}

async function* preimages(
  { db }: Context,
  run: Run,
  judgements: readonly Judgement[],
): AsyncGenerator<readonly PreimageRow[]> {
  const namedKeys = [
    run.asked.code,
    ...run.asked.tasks.map(task => task.identity),
    ...judgements.flatMap(judgement => judgement.tasks.flatMap(({ config, scorer }) => [config, scorer])),
  ]
  const rows = await db.read(query =>
    query<{ id: number; kind: string; key: Buffer; preimage: string }>(
      `SELECT p.* FROM preimage p WHERE p.id IN (SELECT r.config FROM item i JOIN request r ON r.id = i.request WHERE i.run = $1)
         OR p.id IN (SELECT r.code FROM item i JOIN request r ON r.id = i.request WHERE i.run = $1)
         OR p.key IN (SELECT decode(u.key, 'hex') FROM unnest($2::text[]) u(key)) ORDER BY p.key`,
      [run.ref, namedKeys.map(hexDigits)],
    ),
  )
  yield rows.map(({ id, kind, key, preimage }) => {
    const digest = digestOfBytes(key)
    return { kind, key: digest, preimage: checkedText('preimage', id, digest, preimage) }
  })
}

interface ExportPlace {
  readonly task: number
  readonly doc: number
  readonly choice: number
  readonly sample: number
}

const place = 'i.task, i.doc, i.choice, i.sample'
const afterPlace = `(${place}) > ($2, $3, $4, $5) ORDER BY ${place} LIMIT ${exportPage}`
const makeCursor = (run: Run, last: ExportPlace | undefined): readonly number[] =>
  last === undefined ? [run.ref, -1, -1, -1, -1] : [run.ref, last.task, last.doc, last.choice, last.sample]

interface ItemOfRun extends ExportPlace {
  readonly doc_id: string
  readonly response_key: string | null
  readonly instance: number
  readonly input_key: InputKey | null
  readonly input: string | null
  readonly config_key: string | null
  readonly code_key: string | null
  readonly draw: number | null
  readonly record_id: number
  readonly record_key: RecordKey
  readonly record: string
}

const itemsSql = `
  SELECT ${place}, i.doc_id, ${digestSql('r.key')} AS response_key, n.id AS instance, ${digestSql('n.key')} AS input_key, n.preimage AS input,
    ${digestSql('g.key')} AS config_key, ${digestSql('o.key')} AS code_key, r.sample AS draw, i.record AS record_id,
    ${digestSql('c.key')} AS record_key, c.preimage AS record
  FROM item i JOIN record c ON c.id = i.record LEFT JOIN request r ON r.id = i.request LEFT JOIN instance n ON n.id = r.instance
    LEFT JOIN preimage g ON g.id = r.config LEFT JOIN preimage o ON o.id = r.code
  WHERE i.run = $1 AND ${afterPlace}`

async function* items({ db }: Context, run: Run): AsyncGenerator<readonly ItemRow[]> {
  const read = (last: ItemOfRun | undefined): Promise<readonly ItemOfRun[]> =>
    db.read(query => query(itemsSql, makeCursor(run, last)))
  for await (const rows of pages<ItemOfRun>(read)) {
    yield rows.map(row => ({
      ...{ task: taskName(run, row.task), doc_index: row.doc, doc_id: fromColumn(row.doc_id) },
      ...{ choice: row.choice, sample: row.sample, draw: row.draw === row.sample ? null : row.draw },
      ...{ response_key: row.response_key, input_key: row.input_key },
      input: row.input_key === null ? null : checkedText('instance', row.instance, row.input_key, row.input),
      ...{ config_key: row.config_key, code_key: row.code_key, record_key: row.record_key },
      record: checkedText('record', row.record_id, row.record_key, row.record),
    }))
  }
}

interface AnswerOfRun extends ExportPlace {
  readonly request: number
  readonly key: string
  readonly seq: number
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
  readonly sum: number
}

const responsesSql = `
  SELECT ${place}, i.request, ${digestSql('r.key')} AS key, s.seq, ${digestSql('s.digest')} AS digest, s.body, s.meta, s.sum
  FROM item i JOIN request r ON r.id = i.request JOIN response s ON s.request = i.request
  WHERE i.run = $1 AND ${afterPlace}`

async function* responses(context: Context, run: Run): AsyncGenerator<readonly ResponseRow[]> {
  const read = (last: AnswerOfRun | undefined): Promise<readonly AnswerOfRun[]> =>
    context.db.read(query => query(responsesSql, makeCursor(run, last)))
  // An answer that several items share is exported with the first item.
  const exportedRequests = new RowNumberSet()
  for await (const rows of pages<AnswerOfRun>(read))
    yield rows
      .filter(({ request }) => exportedRequests.add(request))
      .map(row => ({
        ...{ response_key: row.key, answer: row.digest, body: checkedBodyText(context, row), meta: row.meta },
      }))
}

async function* failures({ db }: Context, run: Run): AsyncGenerator<readonly FailureRow[]> {
  const rows = await db.read(query =>
    query<ExportPlace & Omit<FailureRow, 'task' | 'doc_index'>>(
      `SELECT ${place}, f.class, f.message, f.attempts, f.at
       FROM item i JOIN failure f ON f.item = i.id LEFT JOIN response s ON s.request = i.request
       WHERE i.run = $1 AND s.seq IS NULL ORDER BY ${place}, f.at, f.id`,
      [run.ref],
    ),
  )
  if (rows.length > 0)
    yield rows.map(({ task, doc, message, ...row }) => ({
      ...{ task: taskName(run, task), doc_index: doc, ...row, message: fromColumn(message) },
    }))
}
