import { hexDigits, type AnswerDigest, type RecordKey, type ScoreKey, type ResponseKey } from '../../digest.js'
import { listAttemptFacts, readsAttempts, scoredDigest, takeAttemptFacts } from '../../facts/attempt-facts.js'
import type {
  AnsweredDoc,
  AttemptFacts,
  Judgement,
  JudgeRecord,
  ResponseBody,
  ResponseMeta,
  ScoreBody,
} from '../../records.js'
import type { Context } from '../connection/context.js'
import { insertVerdict } from './scores.js'
import { digestSql } from '../rows.js'
import type { JudgeBatch, JudgeCursor, ReusedScore } from '../../store.js'
import { type CheckableItem, byDoc, checkItem, checkedBody } from '../../rows/answers.js'
import { type ScoredPlace, computeScoreKey, lookedUp } from '../../rows/scores.js'
import { DamagedRowError, checkedText } from '../../rows/sums.js'

/** The columns that tell whether a doc can be scored and was. Its texts are read only if needed. */
interface DocRow extends CheckableItem {
  readonly record: number
  /** Null if the record is lost. Its key is then null, too. */
  readonly known_record: number | null
  readonly record_key: RecordKey
  readonly judged: number | null
  readonly seq: number | null
  readonly digest: AnswerDigest
  /** Null if scores do not depend on attempts. */
  readonly meta: string | null
}

const docColumns = `
  SELECT i.id AS item, i.task, i.doc, i.choice, i.sample, i.doc_id, coalesce(o.record, i.record) AS record, c.id AS known_record, ${digestSql('c.key')} AS record_key,
    i.record AS item_record, i.sum AS item_sum, v.score AS judged, i.request, s.seq, ${digestSql('s.digest')} AS digest,
    CASE WHEN @attempts THEN s.meta END AS meta
  FROM item i LEFT JOIN revision o ON o.judgement = @judgement AND o.task = i.task AND o.doc = i.doc
    LEFT JOIN record c ON c.id = coalesce(o.record, i.record)
    LEFT JOIN response s ON s.request = i.request
    LEFT JOIN verdict v ON v.judgement = @judgement AND v.task = i.task AND v.doc = i.doc`
const newItemsSql = `${docColumns} WHERE i.run = @run AND i.id > @after ORDER BY i.id LIMIT @limit`
const oneDocSql = `${docColumns} WHERE i.run = @run AND i.task = @task AND i.doc = @doc ORDER BY i.choice, i.sample`
// CROSS JOIN fixes the order of the join in SQLite. Otherwise it reads all items of the run to find a few new answers.
const newAnswersSql = `
  SELECT s.seq, i.task, i.doc FROM response s CROSS JOIN item i ON i.request = s.request
  WHERE s.seq > @after AND i.run = @run AND i.id <= @seen ORDER BY s.seq LIMIT @limit`

/** Finds docs that can be scored now: first all items in order, then those whose answers arrived later. */
export function docsToJudge(
  context: Context,
  judgement: Judgement,
  cursor: JudgeCursor,
  limit: number,
): Promise<JudgeBatch> {
  return context.commit.look(() => {
    const start = cursor.item === 0 && cursor.response === 0 ? { item: 0, response: newestResponse(context) } : cursor
    const { groups, item, itemsDone } = newItems(context, judgement, start.item, limit)
    const fresh = itemsDone
      ? newAnswers(context, judgement, { ...start, item }, limit)
      : { groups: [], response: start.response, done: false }
    const unscored: { readonly first: DocRow; readonly rows: readonly DocRow[]; readonly key: ScoreKey }[] = []
    const reused: ReusedScore[] = []
    const given = new Set<number>()
    for (const rows of [...groups, ...fresh.groups]) {
      const [first] = rows
      // A doc that was added since the last call has its answer in both lists.
      if (first === undefined || given.has(first.item)) continue
      given.add(first.item)
      // The doc has a score already, or an answer is missing.
      if (rows.some(row => row.judged !== null || row.seq === null)) continue
      for (const row of rows) checkItem(context, judgement.run, row)
      if (first.known_record === null) throw new DamagedRowError('record', first.record)
      const key = computeScoreKey(judgement, makeScoredPlace(judgement, first, rows))
      const outcome = reuse(context, judgement, first, key)
      if (outcome === undefined) unscored.push({ first, rows, key })
      else reused.push({ task: first.task, outcome })
    }
    const texts = docTexts(
      context,
      unscored.flatMap(({ rows }) => rows),
    )
    const docs = unscored.map(({ first, rows, key }) => {
      const doc = answeredDoc(texts, judgement, rows)
      lookedUp.set(doc, { judgement: judgement.ref, record: first.record, key })
      return doc
    })
    return { docs, reused, next: { item, response: fresh.response }, exhausted: itemsDone && fresh.done }
  })
}

const placeJudgement = (judgement: Judgement) => ({
  ...{ judgement: judgement.ref, run: judgement.run },
  attempts: Number(readsAttempts(judgement)),
})

/** The facts of the attempt that a doc's scores depend on. */
function readAttempt(judgement: Judgement, { task, meta }: DocRow): AttemptFacts | undefined {
  const facts = listAttemptFacts(judgement, task)
  return facts.length === 0 || meta === null ? undefined : takeAttemptFacts(JSON.parse(meta) as ResponseMeta, facts)
}

const newestResponse = (context: Context): number =>
  context.sql<{ seq: number | null }>('SELECT max(seq) AS seq FROM response').get()?.seq ?? 0

function newItems(
  context: Context,
  judgement: Judgement,
  after: number,
  limit: number,
): { groups: DocRow[][]; item: number; itemsDone: boolean } {
  const rows = context.sql<DocRow>(newItemsSql).all({ ...placeJudgement(judgement), after, limit })
  const groups = byDoc(rows)
  const itemsDone = rows.length < limit
  // A doc's items are committed together, so only the last doc of a full page can be incomplete.
  const cut = itemsDone ? undefined : groups.pop()
  if (cut !== undefined && groups.length === 0) {
    const [first] = cut
    if (first !== undefined) groups.push(wholeDoc(context, judgement, first))
  }
  return { groups, item: groups.at(-1)?.at(-1)?.item ?? after, itemsDone }
}

const wholeDoc = (context: Context, judgement: Judgement, place: { task: number; doc: number }): DocRow[] =>
  context.sql<DocRow>(oneDocSql).all({ ...placeJudgement(judgement), task: place.task, doc: place.doc })

function newAnswers(
  context: Context,
  judgement: Judgement,
  cursor: JudgeCursor,
  limit: number,
): { groups: DocRow[][]; response: number; done: boolean } {
  const rows = context
    .sql<{ seq: number; task: number; doc: number }>(newAnswersSql)
    .all({ after: cursor.response, run: judgement.run, seen: cursor.item, limit })
  const places = new Map(rows.map(({ task, doc }) => [`${task}/${doc}`, { task, doc }]))
  return {
    groups: [...places.values()].map(place => wholeDoc(context, judgement, place)),
    response: rows.at(-1)?.seq ?? cursor.response,
    done: rows.length < limit,
  }
}

function answeredDoc(texts: DocTexts, judgement: Judgement, rows: readonly DocRow[]): AnsweredDoc {
  const [first] = rows
  if (first === undefined) throw new Error('internal error: a doc without answers')
  return {
    task: first.task,
    index: first.doc,
    id: first.doc_id,
    recordKey: first.record_key,
    record: JSON.parse(texts.record(first)) as JudgeRecord,
    answers: rows.map(row => {
      const { key, body } = texts.answer(row)
      const attempt = readAttempt(judgement, row)
      return { choice: row.choice, sample: row.sample, key, digest: row.digest, body, ...(attempt && { attempt }) }
    }),
  }
}

const makeScoredPlace = (judgement: Judgement, { task, record_key }: DocRow, rows: readonly DocRow[]): ScoredPlace => ({
  task,
  recordKey: record_key,
  answers: rows.map(row => scoredDigest({ digest: row.digest, attempt: readAttempt(judgement, row) })),
})

/** Reuses a stored score of this or another run. Its row is checked when it is read. */
function reuse(context: Context, judgement: Judgement, first: DocRow, key: ScoreKey): ScoreBody['outcome'] | undefined {
  const row = context
    .sql<{ id: number; outcome: ScoreBody['outcome'] }>('SELECT id, outcome FROM score WHERE key = unhex(?)')
    .get(hexDigits(key))
  // A failed judge has left no score to reuse.
  if (row === undefined || row.outcome === 'judge_failed' || row.outcome === 'error') return undefined
  insertVerdict(context, judgement, { task: first.task, index: first.doc }, row.id)
  return row.outcome
}

/** The rows that hold an item's texts, with the keys and checksums that they must have. */
interface TextPlace {
  readonly record: number
  readonly record_key: RecordKey
  readonly request: number | null
  readonly seq: number | null
  readonly digest: AnswerDigest
}

/** The texts of items. Each is verified when it is read. */
export interface DocTexts {
  /** Returns the preimage of the judge record. @throws DamagedRowError if it is damaged */
  record(place: TextPlace): string
  /** Returns the answer with its key. @throws DamagedRowError if it is damaged */
  answer(place: TextPlace): { readonly key: ResponseKey; readonly body: ResponseBody }
}

const recordsSql = 'SELECT c.id, c.preimage FROM json_each(?) j CROSS JOIN record c ON c.id = j.value'
const answersSql = `
  SELECT s.seq, ${digestSql('r.key')} AS key, s.body, s.meta, s.sum
  FROM json_each(?) j CROSS JOIN response s ON s.seq = j.value JOIN request r ON r.id = s.request`

/** Reads the records and answers of many items with few queries, since a query for each costs more than reading the row. */
function docTexts(context: Context, places: readonly TextPlace[]): DocTexts {
  const numbers = (of: (place: TextPlace) => number | null): string => JSON.stringify([...new Set(places.map(of))])
  const records = new Map(
    context
      .sql<[number, string]>(recordsSql)
      .raw()
      .all(numbers(({ record }) => record)),
  )
  const answers = new Map(
    context
      .sql<[number, ResponseKey, string, string, number]>(answersSql)
      .raw()
      .all(numbers(({ seq }) => seq))
      .map(([seq, key, body, meta, sum]) => [seq, { key, body, meta, sum }]),
  )
  return {
    record: ({ record, record_key }) => checkedText('record', record, record_key, records.get(record) ?? ''),
    answer({ request, seq, digest }) {
      const row = answers.get(seq ?? 0)
      if (row === undefined) throw new Error('internal error: response vanished')
      const { key, body, meta, sum } = row
      return { key, body: checkedBody(context, { request, seq, digest, body, meta, sum }) }
    },
  }
}
