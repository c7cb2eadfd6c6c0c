import { hexDigits, type AnswerDigest } from '../../../digest.js'
import { answerDigest } from '../../../keys.js'
import type { Failure, ResponseBody, ResponseMeta } from '../../../records.js'
import { sumOfResponse } from '../../../rows/answers.js'
import { toText } from '../../../rows/sums.js'
import type { Lease } from '../../../store.js'
import { splitColumns, type Context } from '../../connection/context.js'
import type { Query } from '../../connection/query.js'
import { insertFailures } from '../failures.js'

/** An answer before it is stored. */
export interface NewAnswer {
  readonly request: number
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
}

/** An answer with the lease that it ends. */
export interface LeasedAnswer extends NewAnswer {
  readonly lease: Lease
}

export function makeAnswer(lease: Lease, body: ResponseBody, meta: ResponseMeta): LeasedAnswer {
  const { key: digest, preimage } = answerDigest(body)
  return { request: lease.request, digest, body: preimage, meta: toText(meta), lease }
}

// One statement holds the counter's row, for which all processes wait, only while the server works on it.
const storeSql = `
  WITH taken AS (UPDATE counter SET value = value + cardinality($1::bigint[]) WHERE name = 'response'
      RETURNING value - cardinality($1::bigint[]) AS before),
    stored AS (INSERT INTO response (seq, request, digest, body, meta, sum)
      SELECT t.before + u.place, u.request, decode(u.digest, 'hex'), u.body, u.meta, u.sum
      FROM taken t, unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[]) WITH ORDINALITY u(request, digest, body, meta, sum, place)
      ORDER BY u.place ON CONFLICT (request) DO NOTHING RETURNING seq, request, sum),
    ended AS (DELETE FROM lease l USING unnest($6::bigint[], $7::bigint[]) u(request, token) WHERE l.request = u.request AND l.token = u.token),
    ended_batch AS (DELETE FROM batch_request q USING unnest($8::bigint[], $9::bigint[]) u(request, batch) WHERE q.request = u.request AND q.batch = u.batch)
  SELECT s.seq - t.before AS place, s.request, s.sum FROM stored s, taken t`

interface StoredPlace {
  /** The place of a stored answer among those that were given, from 1. */
  readonly place: number
}

type SummedAnswer = Pick<NewAnswer, 'request'> & { readonly sum: number }

/** Makes the parameters of {@link storeSql}, which count as this process's changes. */
function makeParameters(
  context: Context,
  answers: readonly NewAnswer[],
  leases: readonly Lease[] = [],
): readonly unknown[] {
  context.changes.own += answers.length
  const rows = answers.map(answer => ({
    ...answer,
    digest: hexDigits(answer.digest),
    sum: sumOfResponse(context, answer),
  }))
  const plain = leases.filter(({ batch }) => batch === undefined)
  const batched = leases.filter(({ batch }) => batch !== undefined)
  return [
    ...splitColumns(rows, ['request', 'digest', 'body', 'meta', 'sum']),
    ...splitColumns(plain, ['request', 'token']),
    ...splitColumns(batched, ['request', 'batch']),
  ]
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
  leased: readonly Pick<LeasedAnswer, 'lease' | 'request'>[],
  load: () => readonly NewAnswer[],
): Promise<readonly boolean[]> {
  const { db, owners, ownAnswers } = context
  const leases = leased.map(({ lease }) => lease)
  let repeated: readonly SummedAnswer[] = []
  const stored = await db.writeAlone<StoredPlace & SummedAnswer>(storeSql, attempt => {
    const answers = load()
    if (attempt > 0)
      repeated = answers.map(answer => ({ request: answer.request, sum: sumOfResponse(context, answer) }))
    return makeParameters(context, answers, leases)
  })
  const [answer] = stored
  if (answer !== undefined) db.noteAnswer(answer)
  const first = new Set(stored.map(({ place }) => place - 1))
  // An earlier attempt may have stored them without this process knowing.
  for (const index of await findStored(context, repeated)) first.add(index)
  owners.answered.add(leased.length)
  ownAnswers.add(leased.map(({ request }) => request))
  await tellOthers(context)
  return leased.map((_, index) => first.has(index))
}

/** Finds answers that are stored with identical metadata. Only this process can have stored them. @returns their indices */
async function findStored({ db }: Context, answers: readonly SummedAnswer[]): Promise<readonly number[]> {
  if (answers.length === 0) return []
  const rows = await db.read(query =>
    query<StoredPlace>(
      `SELECT u.place FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY u(request, sum, place)
         JOIN response s ON s.request = u.request AND s.sum = u.sum`,
      splitColumns(answers, ['request', 'sum']),
    ),
  )
  return rows.map(({ place }) => place - 1)
}

/** Tells other processes of commits, if it is time to. A failure does no harm, because they also poll. */
async function tellOthers({ db, owners, changes }: Context): Promise<void> {
  const query: Query = (text, values) => db.writeOnce(send => send(text, values))
  try {
    await changes.announce(query)
    if (owners.answered.isDue) await owners.tellAnswers(query)
  } catch {
    // The next commit tells them.
  }
}

/**
 * Stores answers. Call inside a write transaction.
 *
 * @returns for each answer whether it is the first for its request
 */
export async function insertAnswers(
  context: Context,
  query: Query,
  answers: readonly NewAnswer[],
): Promise<readonly boolean[]> {
  const storedPlaces = await query<StoredPlace>(storeSql, makeParameters(context, answers))
  await context.changes.announce(query)
  const first = new Set(storedPlaces.map(({ place }) => place - 1))
  return answers.map((_, index) => first.has(index))
}

/** Stores a failure, unless another process took the lease over. That process then reports the result. */
export const commitFailure = ({ db, ...context }: Context, lease: Lease, failure: Failure): Promise<void> =>
  db.write(async query => {
    const [isHeld] = await releaseLeases(query, [lease])
    // A request without an item has no failure to report.
    if (isHeld === true && lease.item.id !== 0)
      await insertFailures({ db, ...context }, query, [
        { run: lease.item.run, item: lease.item.id, request: lease.request, failure },
      ])
  })

/** Gives up leases, so that other processes can take the requests. @returns for each whether it was still held */
export async function releaseLeases(query: Query, leases: readonly Lease[]): Promise<readonly boolean[]> {
  const plain = leases.filter(({ batch }) => batch === undefined)
  const batched = leases.filter(({ batch }) => batch !== undefined)
  const heldRequests = new Set([
    ...(await deletePairs(query, 'lease', 'token', plain)),
    ...(await deletePairs(query, 'batch_request', 'batch', batched)),
  ])
  return leases.map(({ request }) => heldRequests.has(request))
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
