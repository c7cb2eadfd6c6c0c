import { digestOfBytes, hexDigits, type AnswerDigest, type ResponseKey } from '../../digest.js'
import { answerDigest } from '../../keys.js'
import type { Failure, ResponseMeta, Run } from '../../records.js'
import {
  checkedBody,
  checkedBodyText,
  checkedFailure,
  type FailureRow,
  type StoredResponse,
} from '../../rows/answers.js'
import { RowNumberSet } from '../../rows/row-number-set.js'
import { keyedDocs, type KeyedDoc } from '../../rows/keyed-docs.js'
import { toFailedItem, type FailedRow } from '../../rows/runs.js'
import { toText } from '../../rows/sums.js'
import type { DraftDoc, KnownRequest, OfTask, RequestStore, StoredAnswer } from '../../store.js'
import { digestSql, fromColumn, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { GroupCommit } from '../connection/group-commit.js'
import { explainKey, whyMiss } from '../judging/why-miss.js'
import { AnswerQueue } from './answers/answer-queue.js'
import type { WaitingAnswers } from '../../waiting-answers/waiting-answers.js'
import { commitFailure, insertAnswers, makeAnswer, releaseLeases } from './answers/answers.js'
import { fromFailureRow } from './failures.js'
import { insertDocs, writeProgress } from './insert-docs.js'
import { findNumbers, requireNumber } from './interning.js'
import { failedItems, failureColumns, failureOfItem } from './item-sql.js'
import { findHeld, lease } from './leases.js'
import { failWaiting, reopenOverBudget } from './over-budget.js'

/** The requests of a store, with a way to wait for writes that are not durable yet. */
export interface PostgresRequests {
  readonly requests: RequestStore
  readonly flush: () => Promise<void>
}

/** Opens the requests of a store on PostgreSQL. */
export function postgresRequests(
  context: Context,
  { answers: waiting, mostInMemory }: { readonly answers: WaitingAnswers; readonly mostInMemory: number },
): PostgresRequests {
  const { db } = context
  const answers = new AnswerQueue(context, { spill: waiting.spill, mostInMemory })
  const keptAnswers = new GroupCommit<KeptAnswer, StoredAnswer>(inputs => keepAnswers(context, inputs))
  const requests: RequestStore = {
    async lease(run, query) {
      await waiting.catchUp()
      return lease(context, run, query)
    },
    lastFailure: () => db.read(async query => (await readNumber(query, 'SELECT max(id) AS n FROM failure')) ?? 0),
    holds: leases => findHeld(context, leases),
    // This is no async function, because its frame would keep the body in memory while it waits.
    commitResponse: (lease, body, meta, tell) =>
      answers.add(makeAnswer(lease, body, meta)).then(isFirst => {
        tell?.()
        return isFirst
      }),
    commitFailure: (lease, failure) => commitFailure(context, lease, failure),
    release: leases =>
      db.write(async query => {
        await releaseLeases(query, leases)
      }),
    failWaiting: (run, failure) => failWaiting(context, run, failure),
    reopenOverBudget: run => reopenOverBudget(context, run),
    failures: run => listFailures(context, run),
    answerOf: key => db.read(async query => (await findAnswers(context, query, [key])).get(key)),
    keepAnswer(run, doc, answer) {
      const prepared = prepareAnswer(run, doc, answer)
      return keptAnswers.add(prepared).catch((error: unknown) => {
        const { key, digest, body } = prepared
        waiting.keepItem({ key, digest, body, meta: toText(answer.meta) }, { run: run.id, doc }, error)
        throw error
      })
    },
    known: keys => db.read(query => knownRequests(query, keys)),
    answerMetas: run => answerMetas(context, run),
    metFailures: run => metFailures(context, run),
    nextSample: () =>
      db.read(async query => ((await readNumber(query, 'SELECT max(sample) AS n FROM request')) ?? -1) + 1),
    explain: key => db.read(query => explainKey(query, key)),
    whyMiss: (a, b) => whyMiss(context, a, b),
  }
  return {
    requests,
    async flush() {
      await answers.flush()
      await keptAnswers.flush()
    },
  }
}

async function readNumber(query: Query, text: string): Promise<number | null> {
  const [row] = await query<{ n: number | null }>(text)
  return row?.n ?? null
}

const listFailures = (context: Context, run: Run): ReturnType<RequestStore['failures']> =>
  context.db.read(async query => {
    const rows = await query<FailedRow>(`${failedSql} ORDER BY u.task, u.doc, u.choice, u.sample`, [run.ref])
    return rows.map(row => toFailedItem(context, run, { ...fromFailureRow(row), doc_id: fromColumn(row.doc_id) }))
  })

/** The failures of items without an answer that count, in the form of `FailedRow`. */
export const failedSql = `
  SELECT u.task, u.doc, u.doc_id, u.choice, u.sample, ${failureColumns}
  FROM (SELECT i.task, i.doc, i.doc_id, i.choice, i.sample, ${failureOfItem} AS failure FROM ${failedItems}) u
    JOIN failure f ON f.id = u.failure`

interface AnswerRow extends StoredResponse {
  readonly key: ResponseKey
}

/** Returns the answers to requests, whichever run sent them, or their permanent failures. */
async function findAnswers(
  context: Context,
  query: Query,
  keys: readonly ResponseKey[],
): Promise<ReadonlyMap<ResponseKey, StoredAnswer | { readonly failure: Failure }>> {
  const digits = keys.map(hexDigits)
  const answersByKey = new Map<ResponseKey, StoredAnswer | { readonly failure: Failure }>()
  const failures = await query<FailureRow & { readonly key: ResponseKey }>(
    `SELECT ${digestSql('r.key')} AS key, ${failureColumns} FROM unnest($1::text[]) u(key) JOIN request r ON r.key = decode(u.key, 'hex')
       JOIN failure f ON f.request = r.id WHERE f.permanent = 1 ORDER BY f.id`,
    [digits],
  )
  for (const { key, ...row } of failures)
    answersByKey.set(key, { failure: checkedFailure(context, fromFailureRow(row)) })
  const rows = await query<AnswerRow>(
    `SELECT ${digestSql('r.key')} AS key, r.id AS request, s.seq, ${digestSql('s.digest')} AS digest, s.body, s.meta, s.sum
     FROM unnest($1::text[]) u(key) JOIN request r ON r.key = decode(u.key, 'hex') JOIN response s ON s.request = r.id`,
    [digits],
  )
  for (const row of rows)
    answersByKey.set(row.key, { body: checkedBody(context, row), meta: JSON.parse(row.meta) as ResponseMeta })
  return answersByKey
}

/** Tells which requests are answered or failed. Bodies of answers are not read. */
async function knownRequests(
  query: Query,
  keys: readonly ResponseKey[],
): Promise<readonly (KnownRequest | undefined)[]> {
  const rows = await query<{ key: Buffer; meta: string | null; failed: boolean }>(
    `SELECT r.key, s.meta, EXISTS (SELECT 1 FROM failure f WHERE f.request = r.id AND f.permanent = 1) AS failed
     FROM unnest($1::text[]) u(key) JOIN request r ON r.key = decode(u.key, 'hex') LEFT JOIN response s ON s.request = r.id`,
    [keys.map(hexDigits)],
  )
  const byKey = new Map(rows.map(row => [digestOfBytes<'response'>(row.key), row]))
  return keys.map(key => {
    const row = byKey.get(key)
    if (row === undefined) return undefined
    if (row.meta !== null) return { type: 'answered', meta: JSON.parse(row.meta) as ResponseMeta }
    return row.failed ? { type: 'failed' } : undefined
  })
}

interface KeptAnswer {
  readonly run: Run
  readonly doc: KeyedDoc
  readonly key: ResponseKey
  readonly answer: StoredAnswer
  readonly digest: AnswerDigest
  readonly body: string
}

function prepareAnswer(run: Run, doc: DraftDoc, answer: StoredAnswer): KeptAnswer {
  const [keyed] = keyedDocs(run, [doc])
  const key = keyed?.requests[0]?.keys?.response
  if (keyed === undefined || key === undefined) throw new Error('internal error: an answer was kept without a request')
  const { key: digest, preimage: body } = answerDigest(answer.body)
  return { run, doc: keyed, key, answer, digest, body }
}

/** Stores an answered request of an earlier process as an item of its run. */
export const keepOldAnswer = (context: Context, run: Run, doc: DraftDoc, answer: StoredAnswer): Promise<unknown> =>
  keepAnswers(context, [prepareAnswer(run, doc, answer)])

/** Stores answered requests as items of their runs. @returns the stored answers: the first under each key */
const keepAnswers = (context: Context, answers: readonly KeptAnswer[]): Promise<readonly StoredAnswer[]> =>
  context.db.write(async query => {
    const runs = new Map(answers.map(({ run }) => [run.ref, run]))
    for (const run of runs.values()) {
      const docs = answers.flatMap(keptAnswer => (keptAnswer.run.ref === run.ref ? [keptAnswer.doc] : []))
      await insertDocs(context, query, { run, task: 0, docs })
      // The run has one task, whose input counts as finished after each doc. Further docs may still be added.
      const last = Math.max(...docs.map(({ index }) => index))
      await writeProgress(context, query, { run: run.ref, task: 0, docs: last + 1, finished: true })
    }
    const keys = answers.map(({ key }) => key)
    const numbers = await findNumbers(query, 'request', keys)
    await insertAnswers(
      context,
      query,
      answers.map(({ key, digest, body, answer }) => ({
        ...{ request: requireNumber(numbers, 'request', key), digest, body, meta: toText(answer.meta) },
      })),
    )
    const storedAnswers = await findAnswers(context, query, keys)
    return answers.map(({ key }) => {
      const answer = storedAnswers.get(key)
      if (answer === undefined || !('body' in answer)) throw new Error('internal error: response vanished')
      return answer
    })
  })

interface MetaRow extends StoredResponse {
  readonly request: number
  readonly item: number
  readonly task: number
}

const pageSize = 1000

const metasSql = `
  SELECT i.id AS item, i.task, s.request, s.seq, ${digestSql('s.digest')} AS digest, s.body, s.meta, s.sum
  FROM item i JOIN response s ON s.request = i.request
  WHERE i.run = $1 AND i.id > $2 ORDER BY i.id LIMIT ${pageSize}`

/** Reads the metadata of a run's answers one page at a time. Items that share a request count once. */
async function* answerMetas(context: Context, run: Run): AsyncGenerator<readonly OfTask<ResponseMeta>[]> {
  // A set in memory costs less than asking the server for an earlier item of each request.
  const seenRequests = new RowNumberSet()
  let after = 0
  for (;;) {
    const rows = await context.db.read(query => query<MetaRow>(metasSql, [run.ref, after]))
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
      .filter(({ request }) => seenRequests.add(request))
      .map(row => {
        checkedBodyText(context, row)
        return { task: row.task, value: JSON.parse(row.meta) as ResponseMeta }
      })
    if (rows.length < pageSize) return
    after = last.item
  }
}

/** Lists the failures that requests met when they were sent, including requests that were answered later. */
const metFailures = (context: Context, run: Run): Promise<readonly OfTask<Failure>[]> =>
  context.db.read(async query => {
    const rows = await query<FailureRow & { readonly task: number }>(
      `SELECT i.task, ${failureColumns} FROM failure f JOIN item i ON i.id = f.item
       WHERE f.run = $1 AND f.request IS NOT NULL AND f.attempts > 0 ORDER BY f.id`,
      [run.ref],
    )
    return rows.map(({ task, ...row }) => ({ task, value: checkedFailure(context, fromFailureRow(row)) }))
  })
