import type { PortableJudgement, VerdictRow } from '../../bundle/portable.js'
import {
  hexDigits,
  parseDigest,
  type CodeKey,
  type JudgeConfigKey,
  type RecordKey,
  type ScoreKey,
} from '../../digest.js'
import { aggregatesText } from '../../rows/judging/judgements.js'
import { writeRules } from '../../rows/judging/rules-text.js'
import { takeNumbers } from '../connection/context.js'
import { insertScores } from '../judging/scores.js'
import { findNumbers, internTexts, requireNumber } from '../work/interning.js'
import { readJudgingKeys, taskNumber } from '../../rows/merge.js'
import type { Merge } from './merge-answers.js'

export async function mergeJudgement(merge: Merge, from: PortableJudgement): Promise<void> {
  const judgement = await findJudgement(merge, from)
  for await (const rows of from.verdicts()) await mergeVerdicts(merge, from, judgement, rows)
}

async function findJudgement({ context, query, run }: Merge, from: PortableJudgement): Promise<number> {
  await takeNumbers(context, query, 'judgement', 1)
  const tasks = writeRules(from.tasks)
  const aggregates = from.aggregates === undefined ? null : aggregatesText(from.aggregates)
  const values = [from.createdAt, from.finishedAt ?? null, aggregates, context.sum(tasks, aggregates)]
  const [earlierJudgement] = await query<{ id: number }>(
    'SELECT id FROM judgement WHERE run = $1 AND tasks = $2 AND created = $3',
    [run, tasks, from.createdAt],
  )
  if (earlierJudgement !== undefined) {
    await query(
      'UPDATE judgement SET finished = $3, aggregates = $4, sum = $5 WHERE id = $1 AND created = $2 AND coalesce(finished, -1) < coalesce($3::bigint, -1)',
      [earlierJudgement.id, ...values],
    )
    return earlierJudgement.id
  }
  const [newJudgement] = await query<{ id: number }>(
    `INSERT INTO judgement (run, number, tasks, created, finished, aggregates, sum)
     VALUES ($1, (SELECT coalesce(max(number), 0) + 1 FROM judgement WHERE run = $1), $2, $3, $4, $5, $6) RETURNING id`,
    [run, tasks, ...values],
  )
  return newJudgement?.id ?? 0
}

interface Place {
  readonly task: number
  readonly doc: number
}

const placeKey = ({ task, doc }: Place): string => `${task}/${doc}`

async function mergeVerdicts(
  merge: Merge,
  from: PortableJudgement,
  judgement: number,
  rows: readonly VerdictRow[],
): Promise<void> {
  const placed = rows.map(row => ({ row, task: taskNumber(merge, row.task), doc: row.doc_index }))
  const conflict = ({ row }: { readonly row: VerdictRow }): void =>
    void merge.conflicts.push({ kind: 'verdict', key: `${row.task}/${row.doc_id}` })
  const records = await mergeRevisions(merge, judgement, placed)
  const agreed = placed.filter(place => {
    const { row } = place
    const isSame = row.revision === null || records.get(placeKey(place)) === row.record_key
    if (!isSame) conflict(place)
    return isSame
  })
  const scores = await mergeScores(merge, from, agreed)
  const verdicts = agreed.flatMap(place => {
    const score = scores.get(place.row.score_key ?? '')
    return score === undefined ? [] : [{ ...place, score }]
  })
  const ours = await insertOrFind(merge, 'verdict', 'score', judgement, verdicts)
  for (const verdict of verdicts) if (ours.get(placeKey(verdict)) !== verdict.score) conflict(verdict)
}

/** Adds rows of a judgement by place. Existing rows stay. @returns the value at each place */
async function insertOrFind<Column extends 'score' | 'record'>(
  { query }: Merge,
  table: 'verdict' | 'revision',
  column: Column,
  judgement: number,
  rows: readonly (Place & Readonly<Record<Column, number>>)[],
): Promise<ReadonlyMap<string, number>> {
  if (rows.length === 0) return new Map()
  await query(
    `INSERT INTO ${table} (judgement, task, doc, ${column})
     SELECT $1, u.task, u.doc, u.value FROM unnest($2::integer[], $3::integer[], $4::bigint[]) u(task, doc, value)
     ON CONFLICT (judgement, task, doc) DO NOTHING`,
    [judgement, rows.map(({ task }) => task), rows.map(({ doc }) => doc), rows.map(row => row[column])],
  )
  const placedRows = await query<Place & { readonly value: number }>(
    `SELECT t.task, t.doc, t.${column} AS value FROM unnest($2::integer[], $3::integer[]) u(task, doc)
       JOIN ${table} t ON t.judgement = $1 AND t.task = u.task AND t.doc = u.doc`,
    [judgement, rows.map(({ task }) => task), rows.map(({ doc }) => doc)],
  )
  return new Map(placedRows.map(row => [placeKey(row), row.value]))
}

/** Merges revised records. @returns the resulting record keys of the judgement, by place */
async function mergeRevisions(
  merge: Merge,
  judgement: number,
  placed: readonly (Place & { readonly row: VerdictRow })[],
): Promise<ReadonlyMap<string, string>> {
  const revised = placed.flatMap(({ row, task, doc }) =>
    row.revision === null
      ? []
      : [{ task, doc, key: parseDigest<'judge-record'>(row.record_key), preimage: row.revision }],
  )
  if (revised.length === 0) return new Map()
  await internTexts(merge.query, 'record', revised)
  const numbers = await findNumbers<RecordKey>(
    merge.query,
    'record',
    revised.map(({ key }) => key),
  )
  const keys = new Map([...numbers].map(([key, number]) => [number, key]))
  const rows = revised.map(({ task, doc, key }) => ({ task, doc, record: requireNumber(numbers, 'record', key) }))
  const ours = await insertOrFind(merge, 'revision', 'record', judgement, rows)
  return new Map([...ours].map(([place, record]) => [place, keys.get(record) ?? 'another record']))
}

/** @returns the numbers of the scores by key */
async function mergeScores(
  merge: Merge,
  from: PortableJudgement,
  placed: readonly (Place & { readonly row: VerdictRow })[],
): Promise<ReadonlyMap<string, number>> {
  const { context, query } = merge
  const scored = placed.flatMap(({ row, task }) => {
    const { score_key, body, answers, record_key } = row
    if (score_key === null || body === null || answers === null) return []
    return [
      { ...readJudgingKeys(from, task), score_key, body, answers, record_key: parseDigest<'judge-record'>(record_key) },
    ]
  })
  if (scored.length === 0) return new Map()
  const preimages = await findNumbers<JudgeConfigKey | CodeKey>(
    query,
    'preimage',
    scored.flatMap(({ config, scorer }) => [config, scorer]),
  )
  const records = await findNumbers<RecordKey>(
    query,
    'record',
    scored.map(({ record_key }) => record_key),
  )
  const insertedNumbers = await insertScores(
    query,
    scored.map(({ score_key, body, answers, record_key, config, scorer }) => ({
      ...{ key: parseDigest<'score'>(score_key), record: requireNumber(records, 'record', record_key), body },
      answers: (JSON.parse(answers) as `sha256:${string}`[]).map(digest => hexDigits(parseDigest(digest))).join(''),
      ...{ config: requireNumber(preimages, 'preimage', config), scorer: requireNumber(preimages, 'preimage', scorer) },
      ...{ sum: context.sum(body), outcome: (JSON.parse(body) as { outcome: string }).outcome },
    })),
    'DO NOTHING',
  )
  return countScores(merge, new Map(scored.map(({ score_key, body }) => [score_key, body])), new Set(insertedNumbers))
}

async function countScores(
  merge: Merge,
  bodies: ReadonlyMap<string, string>,
  insertedNumbers: ReadonlySet<number>,
): Promise<ReadonlyMap<string, number>> {
  const numbers = await findNumbers<ScoreKey>(
    merge.query,
    'score',
    [...bodies.keys()].map(key => parseDigest<'score'>(key)),
  )
  const rows = await merge.query<{ id: number; body: string }>('SELECT id, body FROM score WHERE id = ANY($1)', [
    [...numbers.values()],
  ])
  const ours = new Map(rows.map(({ id, body }) => [id, body]))
  for (const [key, number] of numbers) {
    if (insertedNumbers.has(number)) merge.added.scores += 1
    else if (ours.get(number) === bodies.get(key)) merge.present.scores += 1
    else merge.conflicts.push({ kind: 'score', key })
  }
  return numbers
}
