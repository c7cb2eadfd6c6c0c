import { RowNumberSet } from '../../rows/row-number-set.js'
import { digestBytes, type AnswerDigest, type ResponseKey } from '../../digest.js'
import { answerDigest } from '../../keys.js'
import type { Failure, ResponseMeta, Run } from '../../records.js'
import type { Context, Read } from '../connection/context.js'
import { explainKey, whyMiss } from '../judging/why-miss.js'
import { digestSql } from '../rows.js'
import { insertDocs, saveProgress } from './docs.js'
import { readRowId } from './interning.js'
import { commitFailure, commitResponse, holds, lease, release } from './leases.js'
import { failWaiting, reopenOverBudget } from './over-budget.js'
import { failures, lastFailure, nextSample } from './runs.js'
import { readFailure, insertResponse } from './stored-rows.js'
import type { RequestStore, StoredAnswer, KnownRequest, DraftDoc, OfTask } from '../../store.js'
import { checkedBody, checkedBodyText, type StoredResponse } from '../../rows/answers.js'
import { keyedDocs } from '../../rows/keyed-docs.js'
import { toText } from '../../rows/sums.js'

/** Opens the requests of an SQLite store. */
export const sqliteRequests = (context: Context, read: Read): RequestStore => ({
  async lease(run, query) {
    await context.answers.catchUp()
    return lease(context, run, query)
  },
  lastFailure: () => read(() => lastFailure(context)),
  holds: leases => read(() => leases.map(one => holds(context, one))),
  commitResponse: (held, body, meta, kept) => commitResponse(context, held, { body, meta, kept }),
  commitFailure: (held, failure) => commitFailure(context, held, failure),
  release: leases => release(context, leases),
  failWaiting: (run, failure) => failWaiting(context, run, failure),
  reopenOverBudget: run => reopenOverBudget(context, run),
  failures: run => read(() => failures(context, run)),
  answerOf: key => read(() => findAnswer(context, key)),
  keepAnswer: (run, doc, answer) => keepAnswer(context, { run, doc, answer }),
  known: keys => read(() => knownRequests(context, keys)),
  answerMetas: run => answerMetas(context, run),
  metFailures: run => read(() => metFailures(context, run)),
  nextSample: () => read(() => nextSample(context)),
  explain: key => read(() => explainKey(context, key)),
  whyMiss: (a, b) => whyMiss(context, a, b),
})

const answerSql = `
  SELECT r.id AS request, s.seq, ${digestSql('s.digest')} AS digest, s.body, s.meta, s.sum
  FROM request r JOIN response s ON s.request = r.id WHERE r.key = ?`

const failureSql = `
  SELECT f.id FROM failure f JOIN request r ON r.id = f.request WHERE r.key = ? AND f.permanent ORDER BY f.id DESC LIMIT 1`

/** Returns the answer to a request, whichever run sent it, or its permanent failure. */
function findAnswer(context: Context, key: ResponseKey): StoredAnswer | { readonly failure: Failure } | undefined {
  const row = context.sql<StoredResponse>(answerSql).get(digestBytes(key))
  if (row !== undefined) return { body: checkedBody(context, row), meta: JSON.parse(row.meta) as ResponseMeta }
  const failed = context.sql<{ id: number }>(failureSql).get(digestBytes(key))
  const failure = failed === undefined ? undefined : readFailure(context, failed.id)
  return failure === undefined ? undefined : { failure }
}

const knownSql = `
  SELECT s.meta, EXISTS (SELECT 1 FROM failure f WHERE f.request = r.id AND f.permanent) AS failed
  FROM request r LEFT JOIN response s ON s.request = r.id WHERE r.key = ?`

/** Tells which requests are answered or failed. The answers' bodies are not read or checked, so it takes microseconds each. */
const knownRequests = (context: Context, keys: readonly ResponseKey[]): readonly (KnownRequest | undefined)[] => {
  const find = context.sql<{ meta: string | null; failed: number }>(knownSql)
  return keys.map(key => {
    const row = find.get(digestBytes(key))
    if (row === undefined) return undefined
    if (row.meta !== null) return { type: 'answered', meta: JSON.parse(row.meta) as ResponseMeta }
    return row.failed === 1 ? { type: 'failed' } : undefined
  })
}

/** Stores an answered request as an item of a run. @returns the stored answer: the first under its key */
export async function keepAnswer(
  context: Context,
  { run, doc, answer }: { readonly run: Run; readonly doc: DraftDoc; readonly answer: StoredAnswer },
): Promise<StoredAnswer> {
  const [keyed] = keyedDocs(run, [doc])
  const key = keyed?.requests[0]?.keys?.response
  if (keyed === undefined || key === undefined) throw new Error('internal error: an answer was kept without a request')
  const { key: digest, preimage: bodyText } = answerDigest(answer.body)
  const metaText = toText(answer.meta)
  const stored = context.commit.add(() => {
    insertDocs(context, { run, task: 0, docs: [keyed] })
    // The run has one task, whose input counts as finished after each doc. Further docs may still be added.
    saveProgress(context, { run: run.ref, task: 0, docs: keyed.index, finished: true })
    const request = readRowId(context, 'request', digestBytes(key))
    if (insertResponse(context, { request, digest, body: bodyText, meta: metaText })) return answer
    const earlier = findAnswer(context, key)
    if (earlier === undefined || !('body' in earlier)) throw new Error('internal error: response vanished')
    return earlier
  })
  return stored.catch((error: unknown) => {
    context.answers.keepItem({ key, digest, body: bodyText, meta: metaText }, { run: run.id, doc }, error)
    throw error
  })
}

interface Row {
  readonly item: number
  readonly task: number
  readonly request: number
  readonly seq: number
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
  readonly sum: number
}

const pageSql = `
  SELECT i.id AS item, i.task, s.request, s.seq, ${digestSql('s.digest')} AS digest, s.body, s.meta, s.sum
  FROM item i CROSS JOIN response s ON s.request = i.request
  WHERE i.run = ? AND i.id > ? ORDER BY i.id LIMIT ?`

const pageSize = 1000

/**
 * Reads the metadata of a run's answers one page at a time, so that no read transaction blocks writers. Items that
 * share a request count once.
 */
async function* answerMetas(context: Context, run: Run): AsyncGenerator<readonly OfTask<ResponseMeta>[]> {
  const seen = new RowNumberSet()
  let after = 0
  for (;;) {
    const rows = context.sql<Row>(pageSql).all(run.ref, after, pageSize)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
      .filter(({ request }) => seen.add(request))
      .map(row => ({ task: row.task, value: readMeta(context, row) }))
    if (rows.length < pageSize) return
    after = last.item
    await new Promise(setImmediate)
  }
}

function readMeta(context: Context, row: Row): ResponseMeta {
  checkedBodyText(context, row)
  return JSON.parse(row.meta) as ResponseMeta
}

/** Lists the failures that requests met when they were sent, including requests that were answered later. */
function metFailures(context: Context, run: Run): readonly OfTask<Failure>[] {
  return context
    .sql<{ id: number; task: number }>(metSql)
    .all(run.ref)
    .flatMap(({ id, task }) => {
      const value = readFailure(context, id)
      return value === undefined ? [] : [{ task, value }]
    })
}

const metSql = `
  SELECT f.id, i.task FROM failure f CROSS JOIN item i ON i.id = f.item
  WHERE f.run = ? AND f.request IS NOT NULL AND f.attempts > 0 ORDER BY f.id`
