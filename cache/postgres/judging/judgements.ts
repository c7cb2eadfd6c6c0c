import { makeComparedDocs } from '../../facts/compared-doc.js'
import { codeKey, judgeConfigKey, judgeRecordKey } from '../../keys.js'
import type { Aggregate, Judgement, JudgeRecord, Run, TaskJudging } from '../../records.js'
import {
  aggregatesText,
  makeOutcomeCounts,
  toJudgement,
  type FailedOutcome,
  type JudgementRow,
} from '../../rows/judging/judgements.js'
import { writeRules } from '../../rows/judging/rules-text.js'
import type { JudgementStore, OutcomeCounts } from '../../store.js'
import { nowSql, takeNumbers, toColumn, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { findNumbers, internPreimages, internTexts, requireNumber } from '../work/interning.js'
import { docsToJudge } from './judge-feed.js'
import { samples, samplesAt } from './samples.js'
import { commitScores, scores } from './scores.js'

/** Opens the judgements of a store on PostgreSQL. */
export const postgresJudgements = (context: Context): JudgementStore => ({
  open: (run, tasks) => openJudgement(context, run, tasks),
  list: run => context.db.read(query => listJudgements(context, query, run)),
  reviseRecords: (judgement, task, records) => reviseRecords(context, judgement, task, records),
  docsToJudge: (judgement, cursor, limit, choice) => docsToJudge(context, judgement, cursor, { limit, ...choice }),
  commitScores: (judgement, drafts) => commitScores(context, judgement, drafts),
  scores: (judgement, before, after) => scores(context, judgement, { before, after }),
  outcomes: judgement => countOutcomes(context, judgement),
  close: (judgement, aggregates) => closeJudgement(context, judgement, aggregates),
  findDoc: (run, task, id) =>
    context.db.read(async query => {
      const [row] = await query<{ doc: number }>(
        'SELECT doc FROM item WHERE run = $1 AND task = $2 AND doc_id = $3 ORDER BY doc LIMIT 1',
        [run.ref, task, toColumn(id)],
      )
      return row?.doc
    }),
  samples: (run, judgement, after, first) => samples(context, run, { judgement, after, first }),
  samplesAt: (run, judgement, places) => samplesAt(context, run, judgement, places),
  comparedDocs: (run, judgement) => makeComparedDocs(samples(context, run, { judgement, after: undefined })),
})

/** Lists the judgements of a run in order of their numbers. */
export async function listJudgements(context: Context, query: Query, run: Run): Promise<readonly Judgement[]> {
  const rows = await query<JudgementRow>('SELECT * FROM judgement WHERE run = $1 ORDER BY number', [run.ref])
  return rows.map(row => toJudgement(context, row))
}

/** Returns the newest judgement if it follows these rules, else a new one. */
function openJudgement(context: Context, run: Run, tasks: readonly TaskJudging[]): Promise<Judgement> {
  const text = writeRules(tasks)
  const preimages = tasks.flatMap(({ config, scorer }) => [
    { kind: 'judge-config' as const, ...judgeConfigKey(config) },
    { kind: 'code' as const, ...codeKey(scorer) },
  ])
  return context.db.write(async query => {
    // Two processes that open the same judgement at once find the same one.
    await takeNumbers(context, query, 'judgement', 1)
    await internPreimages(query, preimages)
    const [newest] = await query<JudgementRow>('SELECT * FROM judgement WHERE run = $1 ORDER BY number DESC LIMIT 1', [
      run.ref,
    ])
    if (newest?.tasks === text) {
      await forgetFailures(query, newest.id)
      return toJudgement(context, newest, tasks)
    }
    const [newRow] = await query<JudgementRow>(
      `INSERT INTO judgement (run, number, tasks, created, sum) VALUES ($1, $2, $3, ${nowSql}, $4) RETURNING *`,
      [run.ref, (newest?.number ?? 0) + 1, text, context.sum(text, null)],
    )
    if (newRow === undefined) throw new Error('internal error: judgement not made')
    return toJudgement(context, newRow, tasks)
  })
}

/** Deletes verdicts of failed judges and of errors, so that these docs are judged again. */
async function forgetFailures(query: Query, judgement: number): Promise<void> {
  await query(
    `DELETE FROM verdict v USING score z
     WHERE v.judgement = $1 AND z.id = v.score AND z.outcome NOT IN ('scored', 'unparsed')`,
    [judgement],
  )
}

function reviseRecords(
  { db }: Context,
  judgement: Judgement,
  task: number,
  records: readonly { index: number; record: JudgeRecord }[],
): Promise<void> {
  // The last record of a doc counts.
  const byIndex = new Map(records.map(({ index, record }) => [index, judgeRecordKey(record)]))
  return db.write(async query => {
    await internTexts(query, 'record', byIndex.values())
    const numbers = await findNumbers(
      query,
      'record',
      [...byIndex.values()].map(({ key }) => key),
    )
    await query(
      `INSERT INTO revision (judgement, task, doc, record) SELECT $1, $2, u.doc, u.record FROM unnest($3::integer[], $4::bigint[]) u(doc, record)
       ON CONFLICT (judgement, task, doc) DO UPDATE SET record = excluded.record`,
      [
        ...[judgement.ref, task, [...byIndex.keys()]],
        [...byIndex.values()].map(({ key }) => requireNumber(numbers, 'record', key)),
      ],
    )
  })
}

/** Counts docs by outcome. Only scores of failed judges are looked up, because a run may have a million docs. */
function countOutcomes({ db }: Context, judgement: Judgement): Promise<OutcomeCounts> {
  return db.snapshot(async query => {
    const [row] = await query<{ n: number }>('SELECT count(*) AS n FROM verdict WHERE judgement = $1', [judgement.ref])
    const failed = await query<FailedOutcome>(
      `SELECT z.outcome, count(*) AS n FROM score z JOIN verdict v ON v.score = z.id AND v.judgement = $1
       WHERE z.outcome NOT IN ('scored', 'unparsed') GROUP BY z.outcome`,
      [judgement.ref],
    )
    return makeOutcomeCounts(row?.n ?? 0, failed)
  })
}

function closeJudgement(context: Context, judgement: Judgement, aggregates: readonly Aggregate[]): Promise<Judgement> {
  const text = aggregatesText(aggregates)
  return context.db.write(async query => {
    const [rules] = await query<{ tasks: string }>('SELECT tasks FROM judgement WHERE id = $1 FOR UPDATE', [
      judgement.ref,
    ])
    const [row] = await query<JudgementRow>(
      `UPDATE judgement SET finished = ${nowSql}, aggregates = $2, sum = $3 WHERE id = $1 RETURNING *`,
      [judgement.ref, text, context.sum(rules?.tasks ?? null, text)],
    )
    if (row === undefined) throw new Error('internal error: judgement vanished')
    return toJudgement(
      context,
      row,
      judgement.tasks.map(({ judging }) => judging),
    )
  })
}

/** Numbers a run's judgements by their content, whatever the order of their arrival. Call inside a write transaction. */
export async function renumberJudgements(query: Query, run: number): Promise<void> {
  // Numbers are unique, so all of them are made negative first.
  await query('UPDATE judgement SET number = -number WHERE run = $1', [run])
  await query(
    `UPDATE judgement j SET number = n.number
     FROM (SELECT id, row_number() OVER (ORDER BY created, tasks) AS number FROM judgement WHERE run = $1) n WHERE n.id = j.id`,
    [run],
  )
}
