import type { PortableJudgement, VerdictRow } from '../../bundle/portable.js'
import { digestBytes, parseDigest, type Sha256 } from '../../digest.js'
import { internText, readRowId } from '../work/interning.js'
import { writeRules, writeRulesInFull } from '../../rows/judging/rules-text.js'
import { readJudgingKeys, taskNumber } from '../../rows/merge.js'
import type { Merge } from './merge-answers.js'
import { aggregatesText } from '../../rows/judging/judgements.js'

export async function mergeJudgement(merge: Merge, from: PortableJudgement): Promise<void> {
  const judgement = judgementNumber(merge, from)
  for await (const rows of from.verdicts()) for (const row of rows) mergeVerdict(merge, from, judgement, row)
}

function judgementNumber({ context, run }: Merge, from: PortableJudgement): number {
  const tasks = writeRules(from.tasks)
  const aggregates = from.aggregates === undefined ? null : aggregatesText(from.aggregates)
  const earlierJudgement = context
    .sql<{ id: number; tasks: string }>(
      'SELECT id, tasks FROM judgement WHERE run = ? AND tasks IN (?, ?) AND created = ?',
    )
    .get(run, tasks, writeRulesInFull(from.tasks), from.createdAt)
  if (earlierJudgement !== undefined) {
    context
      .sql(
        'UPDATE judgement SET finished = ?, aggregates = ?, sum = ? WHERE id = ? AND coalesce(finished, -1) < coalesce(?, -1)',
      )
      .run(
        from.finishedAt ?? null,
        aggregates,
        context.sum(earlierJudgement.tasks, aggregates),
        earlierJudgement.id,
        from.finishedAt ?? null,
      )
    return earlierJudgement.id
  }
  const insertion = context
    .sql(
      `INSERT INTO judgement (run, number, tasks, created, finished, aggregates, sum)
       VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM judgement WHERE run = ?), ?, ?, ?, ?, ?)`,
    )
    .run(run, run, tasks, from.createdAt, from.finishedAt ?? null, aggregates, context.sum(tasks, aggregates))
  return Number(insertion.lastInsertRowid)
}

function mergeVerdict(merge: Merge, from: PortableJudgement, judgement: number, row: VerdictRow): void {
  const { context } = merge
  const task = taskNumber(merge, row.task)
  const key = { kind: 'verdict' as const, key: `${row.task}/${row.doc_id}` }
  if (row.revision !== null) {
    const record = internText(context, 'record', { key: parseDigest(row.record_key), preimage: row.revision })
    context
      .sql('INSERT OR IGNORE INTO revision (judgement, task, doc, record) VALUES (?, ?, ?, ?)')
      .run(judgement, task, row.doc_index, record)
    const ours = context
      .sql<{ record: number }>('SELECT record FROM revision WHERE judgement = ? AND task = ? AND doc = ?')
      .get(judgement, task, row.doc_index)
    if (ours?.record !== record) {
      merge.conflicts.push(key)
      return
    }
  }
  const score = mergeScore(merge, from, task, row)
  if (score === undefined) return
  const insertion = context
    .sql('INSERT OR IGNORE INTO verdict (judgement, task, doc, score) VALUES (?, ?, ?, ?)')
    .run(judgement, task, row.doc_index, score)
  if (insertion.changes === 1) return
  const ours = context
    .sql<{ score: number }>('SELECT score FROM verdict WHERE judgement = ? AND task = ? AND doc = ?')
    .get(judgement, task, row.doc_index)
  if (ours?.score !== score) merge.conflicts.push(key)
}

function mergeScore(merge: Merge, from: PortableJudgement, task: number, row: VerdictRow): number | undefined {
  const { context } = merge
  if (row.score_key === null || row.body === null || row.answers === null) return undefined
  const { config, scorer } = readJudgingKeys(from, task)
  const answers = Buffer.concat((JSON.parse(row.answers) as Sha256<'answer'>[]).map(digestBytes))
  const key = digestBytes(parseDigest(row.score_key))
  const { outcome } = JSON.parse(row.body) as { outcome: string }
  const insertion = context
    .sql(
      'INSERT OR IGNORE INTO score (key, answers, record, config, scorer, body, sum, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(
      key,
      answers,
      readRowId(context, 'record', digestBytes(parseDigest(row.record_key))),
      readRowId(context, 'preimage', digestBytes(config)),
      readRowId(context, 'preimage', digestBytes(scorer)),
      row.body,
      context.sum(row.body),
      outcome,
    )
  const ours = context.sql<{ id: number; body: string }>('SELECT id, body FROM score WHERE key = ?').get(key)
  if (ours === undefined) throw new Error('internal error: score vanished')
  if (insertion.changes === 1) merge.added.scores += 1
  else if (ours.body === row.body) merge.present.scores += 1
  else merge.conflicts.push({ kind: 'score', key: row.score_key })
  return ours.id
}
