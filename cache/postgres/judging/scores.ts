import { hexDigits, type CodeKey, type JudgeConfigKey, type RecordKey, type ScoreKey } from '../../digest.js'
import { scoredDigest } from '../../facts/attempt-facts.js'
import type { AnsweredDoc, Judgement } from '../../records.js'
import {
  computeScoreKey,
  lookedUp,
  placedScore,
  scoredRules,
  type LookedUpDoc,
  type PlacedRow,
} from '../../rows/judging/scores.js'
import { toText } from '../../rows/sums.js'
import type { DocPlace, DraftScore, PlacedScore } from '../../store.js'
import { splitColumns, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { pages } from '../pages.js'
import { findNumbers, requireNumber } from '../work/interning.js'

/** A verdict of a judgement: the score of a doc. */
export interface NewVerdict {
  readonly task: number
  readonly doc: number
  readonly score: number
}

/** Stores verdicts. They replace those of the same docs. Call inside a write transaction. */
export async function insertVerdicts(query: Query, judgement: number, verdicts: readonly NewVerdict[]): Promise<void> {
  // The last verdict of a doc counts. The order keeps two transactions from waiting for each other.
  const byPlace = new Map(verdicts.map(verdict => [`${verdict.task}/${verdict.doc}`, verdict]))
  if (byPlace.size === 0) return
  await query(
    `INSERT INTO verdict (judgement, task, doc, score)
     SELECT $1, u.task, u.doc, u.score FROM unnest($2::integer[], $3::integer[], $4::bigint[]) u(task, doc, score) ORDER BY u.task, u.doc
     ON CONFLICT (judgement, task, doc) DO UPDATE SET score = excluded.score`,
    [judgement, ...splitColumns([...byPlace.values()], ['task', 'doc', 'score'])],
  )
}

/** Stores scores of a judgement in one transaction. */
export function commitScores(context: Context, judgement: Judgement, scores: readonly DraftScore[]): Promise<void> {
  if (scores.length === 0) return Promise.resolve()
  const prepared = scores.map(({ doc, body }) => ({ doc, outcome: body.outcome, text: toText(body) }))
  return context.db.write(async query => {
    const docs = await lookUp(
      query,
      judgement,
      prepared.map(({ doc }) => doc),
    )
    const preimages = await findNumbers<JudgeConfigKey | CodeKey>(
      query,
      'preimage',
      prepared.flatMap(({ doc }) => Object.values(scoredRules(judgement, doc.task))),
    )
    const rows = prepared.map(({ doc, outcome, text }, index) => {
      const { key, record } = docs[index] ?? refuseLost()
      const { config, scorer } = scoredRules(judgement, doc.task)
      return {
        ...{
          key,
          answers: doc.answers.map(answer => hexDigits(scoredDigest(answer))).join(''),
          record,
          outcome,
          body: text,
        },
        config: requireNumber(preimages, 'preimage', config),
        scorer: requireNumber(preimages, 'preimage', scorer),
        sum: context.sum(text),
      }
    })
    const numbers = await keepScores(query, rows)
    await insertVerdicts(
      query,
      judgement.ref,
      rows.map(({ key }, index) => ({
        task: prepared[index]?.doc.task ?? 0,
        doc: prepared[index]?.doc.index ?? 0,
        score: requireNumber(numbers, 'score', key),
      })),
    )
  })
}

function refuseLost(): never {
  throw new Error('internal error: a doc without a record')
}

async function lookUp(
  query: Query,
  judgement: Judgement,
  docs: readonly AnsweredDoc[],
): Promise<readonly Omit<LookedUpDoc, 'judgement'>[]> {
  const unknown = docs.filter(doc => lookedUp.get(doc)?.judgement !== judgement.ref)
  const records = await findNumbers<RecordKey>(
    query,
    'record',
    unknown.map(({ recordKey }) => recordKey),
  )
  return docs.map(doc => {
    const lookedUpDoc = lookedUp.get(doc)
    if (lookedUpDoc?.judgement === judgement.ref) return lookedUpDoc
    return {
      record: requireNumber(records, 'record', doc.recordKey),
      key: computeScoreKey(judgement, { ...doc, answers: doc.answers.map(scoredDigest) }),
    }
  })
}

/** A score before it is stored. */
export interface NewScore {
  readonly key: ScoreKey
  /** The digests of the answers, of 64 hexadecimal digits each. */
  readonly answers: string
  readonly record: number
  readonly config: number
  readonly scorer: number
  readonly body: string
  readonly sum: number
  readonly outcome: string
}

/** Stores scores, which replace those of failed judges with the same keys. Call inside a write transaction. */
async function keepScores(query: Query, scores: readonly NewScore[]): Promise<ReadonlyMap<ScoreKey, number>> {
  await insertScores(
    query,
    scores,
    'DO UPDATE SET body = excluded.body, sum = excluded.sum, outcome = excluded.outcome',
  )
  return findNumbers(
    query,
    'score',
    scores.map(({ key }) => key),
  )
}

/** Stores scores. @returns the numbers of new and changed scores */
export async function insertScores(
  query: Query,
  scores: readonly NewScore[],
  onConflict: string,
): Promise<readonly number[]> {
  const byKey = new Map(scores.map(score => [score.key, { ...score, key: hexDigits(score.key) }]))
  const rows = await query<{ id: number }>(
    `INSERT INTO score (key, answers, record, config, scorer, body, sum, outcome)
     SELECT decode(u.key, 'hex'), decode(u.answers, 'hex'), u.record, u.config, u.scorer, u.body, u.sum, u.outcome
     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[], $8::text[])
       u(key, answers, record, config, scorer, body, sum, outcome) ORDER BY u.key ON CONFLICT (key) ${onConflict} RETURNING id`,
    splitColumns([...byKey.values()], ['key', 'answers', 'record', 'config', 'scorer', 'body', 'sum', 'outcome']),
  )
  return rows.map(({ id }) => id)
}

const scoresSql = `
  SELECT v.task, v.doc, s.id, s.body, s.sum, o.id AS old_id, o.sum AS old_sum,
    CASE WHEN o.body = s.body AND o.sum = s.sum THEN NULL ELSE o.body END AS old_body,
    (SELECT i.request FROM item i WHERE i.run = $2 AND i.task = v.task AND i.doc = v.doc
      ORDER BY i.choice DESC, i.sample DESC LIMIT 1) AS draw,
    (SELECT CASE WHEN strpos(n.preimage, '"media":"') > 0 THEN n.preimage END
      FROM item i JOIN request r ON r.id = i.request JOIN instance n ON n.id = r.instance
      WHERE i.run = $2 AND i.task = v.task AND i.doc = v.doc ORDER BY i.choice, i.sample LIMIT 1) AS input,
    (SELECT c.preimage FROM record c WHERE c.id = s.record AND strpos(c.preimage, '"exampleMedia":') > 0) AS record
  FROM verdict v JOIN score s ON s.id = v.score
    LEFT JOIN verdict w ON w.judgement = $3 AND w.task = v.task AND w.doc = v.doc LEFT JOIN score o ON o.id = w.score
  WHERE v.judgement = $1 AND (v.task, v.doc) > ($4, $5) ORDER BY v.task, v.doc LIMIT 1000`

/** Reads scores in the order of task and doc, one page at a time. */
export async function* scores(
  context: Context,
  judgement: Judgement,
  { before, after }: { readonly before?: Judgement | undefined; readonly after?: DocPlace | undefined } = {},
): AsyncGenerator<PlacedScore> {
  const read = (last: PlacedRow | undefined): Promise<readonly PlacedRow[]> => {
    const { task, doc } = last ?? { task: after?.task ?? -1, doc: after?.index ?? -1 }
    return context.db.read(query => query(scoresSql, [judgement.ref, judgement.run, before?.ref ?? null, task, doc]))
  }
  for await (const rows of pages(read)) for (const row of rows) yield placedScore(context, row)
}
