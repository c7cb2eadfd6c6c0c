import { hexDigits, type ResponseKey, type ScoreKey } from '../../digest.js'
import { readsAttempts } from '../../facts/attempt-facts.js'
import type { AnsweredDoc, Judgement, ResponseBody, ScoreBody } from '../../records.js'
import { byDoc, checkedBody } from '../../rows/answers.js'
import { findReadyDocs, makeAnsweredDoc, type JudgeableRow, type ReadyDoc } from '../../rows/judging/judgements.js'
import { endSearch, findLastToRead, type DocInTask, type OwnPage } from '../../rows/judging/own-answers.js'
import { checkedText } from '../../rows/sums.js'
import type { JudgeBatch, JudgeCursor } from '../../store.js'
import { digestSql, fromColumn, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { insertVerdicts } from './scores.js'

/** @param withMeta whether the metadata of answers is read */
const docColumns = (withMeta: boolean): string => `
  SELECT i.id AS item, i.task, i.doc, i.choice, i.sample, i.doc_id, coalesce(o.record, i.record) AS record, ${digestSql('c.key')} AS record_key,
    i.record AS item_record, i.sum AS item_sum, v.score AS judged, i.request, s.seq, ${digestSql('s.digest')} AS digest,
    ${withMeta ? 's.meta' : 'NULL'} AS meta`
const docJoins = `
    LEFT JOIN revision o ON o.judgement = $1 AND o.task = i.task AND o.doc = i.doc
    JOIN record c ON c.id = coalesce(o.record, i.record)
    LEFT JOIN response s ON s.request = i.request
    LEFT JOIN verdict v ON v.judgement = $1 AND v.task = i.task AND v.doc = i.doc`
const newItemsSql = (withMeta: boolean): string =>
  `${docColumns(withMeta)} FROM item i ${docJoins} WHERE i.run = $2 AND i.id > $3 ORDER BY i.id LIMIT $4`
const wholeDocsSql = (withMeta: boolean): string => `${docColumns(withMeta)}
  FROM unnest($3::integer[], $4::integer[]) WITH ORDINALITY p(task, doc, place)
    JOIN item i ON i.run = $2 AND i.task = p.task AND i.doc = p.doc ${docJoins}
  ORDER BY p.place, i.choice, i.sample`
const isUnscored = 'NOT EXISTS (SELECT 1 FROM verdict v WHERE v.judgement = $1 AND v.task = i.task AND v.doc = i.doc)'
const ownAnswersSql = `
  SELECT i.task, i.doc FROM unnest($4::bigint[]) u(request) JOIN item i ON i.request = u.request
  WHERE i.run = $2 AND i.id <= $3 AND ${isUnscored}`
const newAnswersSql = `
  SELECT s.seq, i.task, i.doc FROM response s JOIN item i ON i.request = s.request
  WHERE s.seq > $4 AND s.seq <= $5 AND i.run = $2 AND i.id <= $3 AND ${isUnscored} ORDER BY s.seq LIMIT $6`

const newestSql =
  'SELECT (SELECT max(id) FROM item WHERE run = $1) AS item, (SELECT max(seq) FROM response) AS response'

interface Newest {
  readonly item: number | null
  readonly response: number | null
}

/** Finds docs that can be scored now: first all items in order, then those whose answers arrived later. */
export function docsToJudge(
  context: Context,
  judgement: Judgement,
  cursor: JudgeCursor,
  { limit, ownFirst = false }: { readonly limit: number; readonly ownFirst?: boolean },
): Promise<JudgeBatch> {
  // It is read before the transaction, so that answers which are stored meanwhile are found next time.
  const ownFrom = cursor.own ?? context.ownAnswers.count
  const own = ownFirst ? context.ownAnswers.list(ownFrom, limit) : undefined
  // All statements see the same moment, so that no answer falls between the two lists.
  return context.db.write(async query => {
    const isStart = cursor.item === 0 && cursor.response === 0
    const [newest] = await query<Newest>(newestSql, [judgement.run])
    const newestResponse = newest?.response ?? 0
    const start = isStart ? { item: 0, response: newestResponse, own: ownFrom } : cursor
    const { groups, item, itemsDone } =
      (newest?.item ?? 0) > start.item
        ? await readNewItems(query, judgement, start.item, limit)
        : { groups: [], item: start.item, itemsDone: true }
    const fresh = itemsDone
      ? await readNewAnswers(query, judgement, { ...start, item }, { limit, own, newestResponse })
      : { groups: [], next: start, done: false }
    const ready = findReadyDocs(context, judgement, [...groups, ...fresh.groups])
    const outcomesByKey = await reuseScores(query, judgement, ready)
    const docs = await readDocs(
      context,
      query,
      judgement,
      ready.filter(({ key }) => !outcomesByKey.has(key)),
    )
    return {
      docs,
      reused: ready.flatMap(({ first, key }) => {
        const outcome = outcomesByKey.get(key)
        return outcome === undefined ? [] : [{ task: first.task, outcome }]
      }),
      next: { ...fresh.next, item },
      exhausted: itemsDone && fresh.done,
    }
  }, 'snapshot')
}

async function readNewItems(
  query: Query,
  judgement: Judgement,
  after: number,
  limit: number,
): Promise<{ groups: JudgeableRow[][]; item: number; itemsDone: boolean }> {
  const rows = await query<JudgeableRow>(newItemsSql(readsAttempts(judgement)), [
    judgement.ref,
    judgement.run,
    after,
    limit,
  ])
  const groups = byDoc(rows.map(readRow))
  const itemsDone = rows.length < limit
  // A doc's items are committed together, so only the last doc of a full page can be incomplete.
  const cut = itemsDone ? undefined : groups.pop()
  const [first] = cut ?? []
  if (first !== undefined && groups.length === 0) groups.push(...(await readWholeDocs(query, judgement, [first])))
  return { groups, item: groups.at(-1)?.at(-1)?.item ?? after, itemsDone }
}

async function readWholeDocs(
  query: Query,
  judgement: Judgement,
  places: readonly DocInTask[],
): Promise<JudgeableRow[][]> {
  if (places.length === 0) return []
  const rows = await query<JudgeableRow>(wholeDocsSql(readsAttempts(judgement)), [
    ...[judgement.ref, judgement.run, places.map(({ task }) => task), places.map(({ doc }) => doc)],
  ])
  return byDoc(rows.map(readRow))
}

const readRow = (row: JudgeableRow): JudgeableRow => ({ ...row, doc_id: fromColumn(row.doc_id) })

/** @param choice.own requests that this process answered. Undefined: answers of all processes are read at once. */
async function readNewAnswers(
  query: Query,
  judgement: Judgement,
  cursor: JudgeCursor,
  {
    limit,
    own,
    newestResponse,
  }: { readonly limit: number; readonly own: OwnPage | undefined; readonly newestResponse: number },
): Promise<{ groups: JudgeableRow[][]; next: JudgeCursor; done: boolean }> {
  const scope = [judgement.ref, judgement.run, cursor.item]
  const ownDocs =
    own === undefined || own.requests.length === 0
      ? []
      : await query<DocInTask>(ownAnswersSql, [...scope, own.requests])
  const until = findLastToRead(cursor, own, newestResponse)
  const answers =
    until === undefined || until <= cursor.response
      ? []
      : await query<DocInTask & { readonly seq: number }>(newAnswersSql, [...scope, cursor.response, until, limit])
  const { docs, next, done } = endSearch(cursor, { own, ownDocs, answers, limit, until, newest: newestResponse })
  return { groups: await readWholeDocs(query, judgement, docs), next, done }
}

/** Gives docs the stored scores of this or another run. Their rows are checked when they are read. */
async function reuseScores(
  query: Query,
  judgement: Judgement,
  ready: readonly ReadyDoc[],
): Promise<ReadonlyMap<ScoreKey, ScoreBody['outcome']>> {
  if (ready.length === 0) return new Map()
  // A failed judge has left no score to reuse.
  const rows = await query<{ id: number; key: ScoreKey; outcome: ScoreBody['outcome'] }>(
    `SELECT z.id, ${digestSql('z.key')} AS key, z.outcome FROM unnest($1::text[]) u(key) JOIN score z ON z.key = decode(u.key, 'hex')
     WHERE z.outcome NOT IN ('judge_failed', 'error')`,
    [[...new Set(ready.map(({ key }) => key))].map(hexDigits)],
  )
  const ids = new Map(rows.map(({ id, key }) => [key, id]))
  const verdicts = ready.flatMap(({ first, key }) => {
    const score = ids.get(key)
    return score === undefined ? [] : [{ task: first.task, doc: first.doc, score }]
  })
  await insertVerdicts(query, judgement.ref, verdicts)
  return new Map(rows.map(({ key, outcome }) => [key, outcome]))
}

async function readDocs(
  context: Context,
  query: Query,
  judgement: Judgement,
  ready: readonly ReadyDoc[],
): Promise<readonly AnsweredDoc[]> {
  const records = await readRecords(
    query,
    ready.map(({ first }) => first.record),
  )
  const answers = await readAnswers(
    context,
    query,
    ready.flatMap(({ rows }) => rows),
  )
  return ready.map(doc => {
    const { first, recordKey } = doc
    return makeAnsweredDoc(judgement, doc, {
      record: checkedText('record', first.record, recordKey, records.get(first.record) ?? null),
      readAnswer: ({ seq }) => answers.get(seq ?? 0) ?? refuseLost(),
    })
  })
}

function refuseLost(): never {
  throw new Error('internal error: response vanished')
}

async function readRecords(query: Query, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await query<{ id: number; preimage: string }>('SELECT id, preimage FROM record WHERE id = ANY($1)', [
    [...new Set(ids)],
  ])
  return new Map(rows.map(({ id, preimage }) => [id, preimage]))
}

async function readAnswers(
  context: Context,
  query: Query,
  places: readonly JudgeableRow[],
): Promise<ReadonlyMap<number, { readonly key: ResponseKey; readonly body: ResponseBody }>> {
  const bySeq = new Map(places.flatMap(place => (place.seq === null ? [] : [[place.seq, place] as const])))
  if (bySeq.size === 0) return new Map()
  const rows = await query<{ seq: number; key: ResponseKey; body: string; meta: string; sum: number }>(
    `SELECT s.seq, ${digestSql('r.key')} AS key, s.body, s.meta, s.sum
     FROM response s JOIN request r ON r.id = s.request WHERE s.seq = ANY($1)`,
    [[...bySeq.keys()]],
  )
  return new Map(
    rows.map(({ seq, key, body, meta, sum }) => {
      const { request, digest } = bySeq.get(seq) ?? refuseLost()
      return [seq, { key, body: checkedBody(context, { request, seq, digest, body, meta, sum }) }]
    }),
  )
}
