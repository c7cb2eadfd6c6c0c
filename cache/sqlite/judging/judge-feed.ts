import { hexDigits, type ResponseKey } from '../../digest.js'
import { readsAttempts } from '../../facts/attempt-facts.js'
import type { Judgement, ResponseBody, ScoreBody } from '../../records.js'
import type { Context } from '../connection/context.js'
import { insertVerdict } from './scores.js'
import { digestSql } from '../rows.js'
import type { JudgeBatch, JudgeCursor, ReusedScore } from '../../store.js'
import { byDoc, checkedBody } from '../../rows/answers.js'
import { findReadyDocs, makeAnsweredDoc, type JudgeableRow, type ReadyDoc } from '../../rows/judging/judgements.js'
import { endSearch, findLastToRead, type DocInTask, type OwnPage } from '../../rows/judging/own-answers.js'
import { checkedText } from '../../rows/sums.js'

const docColumns = `
  SELECT i.id AS item, i.task, i.doc, i.choice, i.sample, i.doc_id, coalesce(o.record, i.record) AS record, ${digestSql('c.key')} AS record_key,
    i.record AS item_record, i.sum AS item_sum, v.score AS judged, i.request, s.seq, ${digestSql('s.digest')} AS digest,
    CASE WHEN @attempts THEN s.meta END AS meta
  FROM item i LEFT JOIN revision o ON o.judgement = @judgement AND o.task = i.task AND o.doc = i.doc
    LEFT JOIN record c ON c.id = coalesce(o.record, i.record)
    LEFT JOIN response s ON s.request = i.request
    LEFT JOIN verdict v ON v.judgement = @judgement AND v.task = i.task AND v.doc = i.doc`
const newItemsSql = `${docColumns} WHERE i.run = @run AND i.id > @after ORDER BY i.id LIMIT @limit`
const oneDocSql = `${docColumns} WHERE i.run = @run AND i.task = @task AND i.doc = @doc ORDER BY i.choice, i.sample`
const isUnscored =
  'NOT EXISTS (SELECT 1 FROM verdict v WHERE v.judgement = @judgement AND v.task = i.task AND v.doc = i.doc)'
// CROSS JOIN fixes the order of the join in SQLite. Otherwise it reads all items of the run to find a few new answers.
const ownAnswersSql = `
  SELECT i.task, i.doc FROM json_each(@requests) j CROSS JOIN item i ON i.request = j.value
  WHERE i.run = @run AND i.id <= @seen AND ${isUnscored}`
const newAnswersSql = `
  SELECT s.seq, i.task, i.doc FROM response s CROSS JOIN item i ON i.request = s.request
  WHERE s.seq > @after AND s.seq <= @until AND i.run = @run AND i.id <= @seen AND ${isUnscored} ORDER BY s.seq LIMIT @limit`

/** Finds docs that can be scored now: first all items in order, then those whose answers arrived later. */
export function docsToJudge(
  context: Context,
  judgement: Judgement,
  cursor: JudgeCursor,
  { limit, ownFirst = false }: { readonly limit: number; readonly ownFirst?: boolean },
): Promise<JudgeBatch> {
  return context.commit.look(() => {
    const newest = newestResponse(context)
    const own = cursor.own ?? context.ownAnswers.count
    const start = cursor.item === 0 && cursor.response === 0 ? { item: 0, response: newest, own } : cursor
    const { groups, item, itemsDone } = newItems(context, judgement, start.item, limit)
    const page = ownFirst ? context.ownAnswers.list(own, limit) : undefined
    const fresh = itemsDone
      ? newAnswers(context, judgement, { ...start, item }, { limit, own: page, newest })
      : { groups: [], next: start, done: false }
    const unscored: ReadyDoc[] = []
    const reused: ReusedScore[] = []
    for (const doc of findReadyDocs(context, judgement, [...groups, ...fresh.groups])) {
      const outcome = reuse(context, judgement, doc)
      if (outcome === undefined) unscored.push(doc)
      else reused.push({ task: doc.first.task, outcome })
    }
    const texts = readTexts(
      context,
      unscored.flatMap(({ rows }) => rows),
    )
    const docs = unscored.map(doc =>
      makeAnsweredDoc(judgement, doc, { record: texts.readRecord(doc), readAnswer: texts.readAnswer }),
    )
    return { docs, reused, next: { ...fresh.next, item }, exhausted: itemsDone && fresh.done }
  })
}

const placeJudgement = (judgement: Judgement) => ({
  ...{ judgement: judgement.ref, run: judgement.run },
  attempts: Number(readsAttempts(judgement)),
})

const newestResponse = (context: Context): number =>
  context.sql<{ seq: number | null }>('SELECT max(seq) AS seq FROM response').get()?.seq ?? 0

function newItems(
  context: Context,
  judgement: Judgement,
  after: number,
  limit: number,
): { groups: JudgeableRow[][]; item: number; itemsDone: boolean } {
  const rows = context.sql<JudgeableRow>(newItemsSql).all({ ...placeJudgement(judgement), after, limit })
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

const wholeDoc = (context: Context, judgement: Judgement, place: DocInTask): JudgeableRow[] =>
  context.sql<JudgeableRow>(oneDocSql).all({ ...placeJudgement(judgement), task: place.task, doc: place.doc })

/** @param choice.own requests that this process answered. Undefined: answers of all processes are read at once. */
function newAnswers(
  context: Context,
  judgement: Judgement,
  cursor: JudgeCursor,
  { limit, own, newest }: { readonly limit: number; readonly own: OwnPage | undefined; readonly newest: number },
): { groups: JudgeableRow[][]; next: JudgeCursor; done: boolean } {
  const scope = { judgement: judgement.ref, run: judgement.run, seen: cursor.item }
  const ownDocs =
    own === undefined || own.requests.length === 0
      ? []
      : context.sql<DocInTask>(ownAnswersSql).all({ ...scope, requests: JSON.stringify(own.requests) })
  const until = findLastToRead(cursor, own, newest)
  const answers =
    until === undefined || until <= cursor.response
      ? []
      : context
          .sql<DocInTask & { readonly seq: number }>(newAnswersSql)
          .all({ ...scope, after: cursor.response, until, limit })
  const { docs, next, done } = endSearch(cursor, { own, ownDocs, answers, limit, until, newest })
  return { groups: docs.map(doc => wholeDoc(context, judgement, doc)), next, done }
}

/** Reuses a stored score of this or another run. Its row is checked when it is read. */
function reuse(context: Context, judgement: Judgement, { first, key }: ReadyDoc): ScoreBody['outcome'] | undefined {
  const row = context
    .sql<{ id: number; outcome: ScoreBody['outcome'] }>('SELECT id, outcome FROM score WHERE key = unhex(?)')
    .get(hexDigits(key))
  // A failed judge has left no score to reuse.
  if (row === undefined || row.outcome === 'judge_failed' || row.outcome === 'error') return undefined
  insertVerdict(context, judgement, { task: first.task, index: first.doc }, row.id)
  return row.outcome
}

/** The texts of docs. Each is verified when it is read. */
interface DocTexts {
  /** Returns the preimage of the judge record. @throws DamagedRowError if it is damaged */
  readonly readRecord: (doc: ReadyDoc) => string
  /** Returns the answer with its key. @throws DamagedRowError if it is damaged */
  readonly readAnswer: (row: JudgeableRow) => { readonly key: ResponseKey; readonly body: ResponseBody }
}

const recordsSql = 'SELECT c.id, c.preimage FROM json_each(?) j CROSS JOIN record c ON c.id = j.value'
const answersSql = `
  SELECT s.seq, ${digestSql('r.key')} AS key, s.body, s.meta, s.sum
  FROM json_each(?) j CROSS JOIN response s ON s.seq = j.value JOIN request r ON r.id = s.request`

/** Reads the records and answers of many items with few queries, since a query for each costs more than reading the row. */
function readTexts(context: Context, rows: readonly JudgeableRow[]): DocTexts {
  const listNumbers = (column: 'record' | 'seq'): string => JSON.stringify([...new Set(rows.map(row => row[column]))])
  const records = new Map(context.sql<[number, string]>(recordsSql).raw().all(listNumbers('record')))
  const answers = new Map(
    context
      .sql<[number, ResponseKey, string, string, number]>(answersSql)
      .raw()
      .all(listNumbers('seq'))
      .map(([seq, key, body, meta, sum]) => [seq, { key, body, meta, sum }]),
  )
  return {
    readRecord: ({ first, recordKey }) =>
      checkedText('record', first.record, recordKey, records.get(first.record) ?? null),
    readAnswer({ request, seq, digest }) {
      const row = answers.get(seq ?? 0)
      if (row === undefined) throw new Error('internal error: response vanished')
      const { key, body, meta, sum } = row
      return { key, body: checkedBody(context, { request, seq, digest, body, meta, sum }) }
    },
  }
}
