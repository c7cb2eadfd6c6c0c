import { codeKey, judgeConfigKey, judgeRecordKey } from '../../keys.js'
import type { Aggregate, Judgement, JudgeRecord, Run, TaskJudging } from '../../records.js'
import type { Context, Read } from '../connection/context.js'
import { whileUnchanged } from '../connection/unchanged.js'
import { comparedDocs } from './compared-docs.js'
import { docsToJudge } from './judge-feed.js'
import { samples } from './samples.js'
import { commitScores, scores } from './scores.js'
import { internPreimage, internText } from '../work/interning.js'
import type { JudgementStore, OutcomeCounts } from '../../store.js'
import {
  type FailedOutcome,
  type JudgementRow,
  aggregatesText,
  makeOutcomeCounts,
  toJudgement,
} from '../../rows/judging/judgements.js'
import { writeRules, writeRulesInFull } from '../../rows/judging/rules-text.js'

/** Lists the judgements of a run in order of their numbers. */
export const listJudgements = (context: Context, run: Run): readonly Judgement[] =>
  context
    .sql<JudgementRow>('SELECT * FROM judgement WHERE run = ? ORDER BY number')
    .all(run.ref)
    .map(row => toJudgement(context, row))

/** Returns the newest judgement if it follows these rules, else a new one. */
function openJudgement(context: Context, run: Run, tasks: readonly TaskJudging[]): Promise<Judgement> {
  const text = writeRules(tasks)
  return context.commit.add(() => {
    const newest = context
      .sql<JudgementRow>('SELECT * FROM judgement WHERE run = ? ORDER BY number DESC LIMIT 1')
      .get(run.ref)
    for (const { config, scorer } of tasks) {
      internPreimage(context, { kind: 'judge-config', ...judgeConfigKey(config) })
      internPreimage(context, { kind: 'code', ...codeKey(scorer) })
    }
    if (newest !== undefined && (newest.tasks === text || newest.tasks === writeRulesInFull(tasks))) {
      forgetFailures(context, newest.id)
      return toJudgement(context, newest, tasks)
    }
    const made = context
      .sql<JudgementRow>('INSERT INTO judgement (run, number, tasks, created, sum) VALUES (?, ?, ?, ?, ?) RETURNING *')
      .get(run.ref, (newest?.number ?? 0) + 1, text, context.now(), context.sum(text, null))
    if (made === undefined) throw new Error('internal error: judgement not made')
    return toJudgement(context, made, tasks)
  })
}

/** Deletes verdicts of failed judges and of errors, so that these docs are judged again. */
const forgetFailures = (context: Context, judgement: number): void =>
  void context
    .sql(
      `DELETE FROM verdict WHERE judgement = ? AND score IN (SELECT id FROM score WHERE outcome NOT IN ('scored', 'unparsed'))`,
    )
    .run(judgement)

function reviseRecords(
  context: Context,
  judgement: Judgement,
  task: number,
  records: readonly { index: number; record: JudgeRecord }[],
): Promise<void> {
  const keyed = records.map(({ index, record }) => ({ index, record: judgeRecordKey(record) }))
  return context.commit.add(() => {
    for (const { index, record } of keyed) {
      context
        .sql('INSERT OR REPLACE INTO revision (judgement, task, doc, record) VALUES (?, ?, ?, ?)')
        .run(judgement.ref, task, index, internText(context, 'record', record))
    }
  })
}

/** Counts docs by outcome. */
const outcomes = (context: Context, judgement: Judgement): OutcomeCounts =>
  whileUnchanged(context, `outcomes ${judgement.ref}`, () => readOutcomes(context, judgement))

/** Only scores of failed judges are looked up, because a run may have a million docs. */
function readOutcomes(context: Context, { ref }: Judgement): OutcomeCounts {
  const row = context.sql<{ n: number }>('SELECT count(*) AS n FROM verdict WHERE judgement = ?').get(ref)
  const failed = context
    .sql<FailedOutcome>(
      `SELECT z.outcome, count(*) AS n FROM score z CROSS JOIN verdict v ON v.score = z.id AND v.judgement = ?
       WHERE z.outcome NOT IN ('scored', 'unparsed') GROUP BY z.outcome`,
    )
    .all(ref)
  return makeOutcomeCounts(row?.n ?? 0, failed)
}

function closeJudgement(context: Context, judgement: Judgement, aggregates: readonly Aggregate[]): Promise<Judgement> {
  const text = aggregatesText(aggregates)
  return context.commit.add(() => {
    const rules = context.sql<{ tasks: string }>('SELECT tasks FROM judgement WHERE id = ?').get(judgement.ref)
    const row = context
      .sql<JudgementRow>('UPDATE judgement SET finished = ?, aggregates = ?, sum = ? WHERE id = ? RETURNING *')
      .get(context.now(), text, context.sum(rules?.tasks ?? null, text), judgement.ref)
    if (row === undefined) throw new Error('internal error: judgement vanished')
    return toJudgement(
      context,
      row,
      judgement.tasks.map(({ judging }) => judging),
    )
  })
}

/** Numbers a run's judgements by their content, whatever the order of their arrival. Call inside a write transaction. */
export function renumberJudgements(context: Context, run: number): void {
  const rows = context.sql<{ id: number }>('SELECT id FROM judgement WHERE run = ? ORDER BY created, tasks').all(run)
  // Numbers are unique, so all of them are made negative first.
  for (const sign of [-1, 1]) {
    for (const [index, { id }] of rows.entries())
      context.sql('UPDATE judgement SET number = ? WHERE id = ?').run(sign * (index + 1), id)
  }
}

/** Opens the judgements of an SQLite store. */
export const sqliteJudgements = (context: Context, read: Read): JudgementStore => ({
  open: (run, tasks) => openJudgement(context, run, tasks),
  list: run => read(() => listJudgements(context, run)),
  reviseRecords: (judgement, task, records) => reviseRecords(context, judgement, task, records),
  docsToJudge: (judgement, cursor, limit, choice) => docsToJudge(context, judgement, cursor, { limit, ...choice }),
  commitScores: (judgement, drafts) => commitScores(context, judgement, drafts),
  scores: (judgement, before, after) => scores(context, judgement, { before, after }),
  outcomes: judgement => read(() => outcomes(context, judgement)),
  close: (judgement, aggregates) => closeJudgement(context, judgement, aggregates),
  findDoc: (run, task, id) =>
    read(
      () =>
        context
          .sql<{ doc: number }>('SELECT doc FROM item WHERE run = ? AND task = ? AND doc_id = ? ORDER BY doc LIMIT 1')
          .get(run.ref, task, id)?.doc,
    ),
  samples: (run, judgement, after, first) => samples(context, run, { judgement, after, first }),
  comparedDocs: (run, judgement) => comparedDocs(context, run, judgement),
})
