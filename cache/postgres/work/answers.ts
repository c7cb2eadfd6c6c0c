import { hexDigits, type AnswerDigest, type ResponseKey } from '../../digest.js'
import { answerDigest } from '../../keys.js'
import type { Failure, ResponseBody, ResponseMeta } from '../../records.js'
import { sumOfResponse } from '../../rows/answers.js'
import { toText } from '../../rows/sums.js'
import type { Lease } from '../../store.js'
import { splitColumns, takeNumbers, type Context } from '../connection/context.js'
import type { Query } from '../connection/database.js'
import { insertFailures } from './failures.js'

/** An answer before it is stored. */
export interface NewAnswer {
  readonly request: number
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
}

/** An answer with the key of its request. */
export interface KeyedAnswer extends Omit<NewAnswer, 'request'> {
  readonly key: ResponseKey
}

/** An answer with the lease that it ends. */
export interface LeasedAnswer extends NewAnswer {
  readonly lease: Lease
}

export function makeAnswer(lease: Lease, body: ResponseBody, meta: ResponseMeta): LeasedAnswer {
  const { key: digest, preimage } = answerDigest(body)
  return { request: lease.request, digest, body: preimage, meta: toText(meta), lease }
}

/**
 * Stores answers in one transaction. Without a valid lease, an answer is still stored if it is the first, because it was paid for. A stored answer is
 * never replaced.
 *
 * @param load returns the answers of these leases in order, once for each attempt
 * @returns for each answer whether it is the first for its request
 */
export async function commitAnswers(
  context: Context,
  leased: readonly Pick<LeasedAnswer, 'lease'>[],
  load: () => readonly NewAnswer[],
): Promise<readonly boolean[]> {
  const { answered } = context.owners
  const stored = await context.db.write(async (query, attempt) => {
    const isFirst = await insertAnswers(context, query, load(), { mayBeThere: attempt > 0 })
    await releaseLeases(
      query,
      leased.map(({ lease }) => lease),
    )
    if (answered.isDue) await context.owners.tellAnswers(query)
    return isFirst
  })
  answered.add(leased.length)
  return stored
}

/**
 * Stores answers. Call inside a write transaction.
 *
 * @param mayBeThere true if an earlier attempt may have stored them without this process knowing
 * @returns for each answer whether it is the first for its request
 */
export async function insertAnswers(
  context: Context,
  query: Query,
  answers: readonly NewAnswer[],
  { mayBeThere = false } = {},
): Promise<readonly boolean[]> {
  const first = await takeNumbers(context, query, 'response', answers.length)
  const rows = answers.map(({ request, digest, body, meta }, index) => ({
    ...{ seq: first + index, request, digest: hexDigits(digest), body, meta },
    sum: sumOfResponse(context, { request, digest, body, meta }),
  }))
  const made = await query<{ seq: number }>(
    `INSERT INTO response (seq, request, digest, body, meta, sum)
     SELECT u.seq, u.request, decode(u.digest, 'hex'), u.body, u.meta, u.sum
     FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[]) u(seq, request, digest, body, meta, sum)
     ORDER BY u.seq ON CONFLICT (request) DO NOTHING RETURNING seq`,
    splitColumns(rows, ['seq', 'request', 'digest', 'body', 'meta', 'sum']),
  )
  const seqs = new Set(made.map(({ seq }) => seq))
  if (mayBeThere) for (const seq of await findOwnRows(query, rows)) seqs.add(seq)
  return rows.map(({ seq }) => seqs.has(seq))
}

/** Finds answers that are stored with identical metadata. Only this process can have stored them. */
async function findOwnRows(
  query: Query,
  rows: readonly { readonly seq: number; readonly request: number; readonly sum: number }[],
): Promise<readonly number[]> {
  const found = await query<{ seq: number }>(
    `SELECT u.seq FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) u(seq, request, sum)
       JOIN response s ON s.request = u.request AND s.sum = u.sum`,
    splitColumns(rows, ['seq', 'request', 'sum']),
  )
  return found.map(({ seq }) => seq)
}

/** Stores a failure, unless another process took the lease over. That process then reports the result. */
export const commitFailure = ({ db, ...context }: Context, held: Lease, failure: Failure): Promise<void> =>
  db.write(async query => {
    const [isHeld] = await releaseLeases(query, [held])
    // A request without an item has no failure to report.
    if (isHeld === true && held.item.id !== 0)
      await insertFailures({ db, ...context }, query, [
        { run: held.item.run, item: held.item.id, request: held.request, failure },
      ])
  })

/** Gives up leases, so that other processes can take the requests. @returns for each whether it was still held */
export async function releaseLeases(query: Query, leases: readonly Lease[]): Promise<readonly boolean[]> {
  const plain = leases.filter(({ batch }) => batch === undefined)
  const batched = leases.filter(({ batch }) => batch !== undefined)
  const held = new Set([
    ...(await deletePairs(query, 'lease', 'token', plain)),
    ...(await deletePairs(query, 'batch_request', 'batch', batched)),
  ])
  return leases.map(({ request }) => held.has(request))
}

async function deletePairs(
  query: Query,
  table: 'lease' | 'batch_request',
  column: 'token' | 'batch',
  leases: readonly Lease[],
): Promise<readonly number[]> {
  if (leases.length === 0) return []
  const rows = await query<{ request: number }>(
    `DELETE FROM ${table} l USING unnest($1::bigint[], $2::bigint[]) u(request, held)
     WHERE l.request = u.request AND l.${column} = u.held RETURNING l.request`,
    [leases.map(({ request }) => request), leases.map(lease => lease[column] ?? 0)],
  )
  return rows.map(({ request }) => request)
}
