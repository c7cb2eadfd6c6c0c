import type { ConfigKey } from '../../digest.js'
import type { GenerationKwargs, Run } from '../../records.js'
import {
  makeLease,
  parseGeneration,
  sortPending,
  type FindGeneration,
  type PendingItem,
  type RequestRow,
} from '../../rows/leases.js'
import type { Lease, LeaseQuery, LeaseResult } from '../../store.js'
import { digestSql, fromColumn, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { livesSql } from '../connection/owners.js'
import { isAnswered, isInBatch } from './item-sql.js'
import { startWork } from './working.js'

interface PendingRow extends PendingItem {
  readonly lives: boolean
}

/** The number of items in the first part of a run that a search looks at. It grows by `growth` while all are answered. */
const fewestSearched = 2_000
const growth = 8

// A doc behind the progress of its input is read again, because a repair dropped a part of it, such as a medium. Its
// requests wait for that. Requests with a permanent failure are skipped, and so are those that this invocation failed at.
// Responses and leases are looked up for each item: a join lets the server read all responses of a million, because it expects few open items.
const pendingSql = `
  SELECT i.id AS item, i.task, i.doc_id, i.request, l.owner, l.owner IS NOT NULL AND ${livesSql('l.owner')} AS lives, q.batch,
    EXISTS (SELECT 1 FROM failure f WHERE f.request = i.request
      AND ((f.owner = $1 AND f.id > $2) OR (f.permanent = 1 AND NOT $3))) AS failed,
    EXISTS (SELECT 1 FROM input_progress p WHERE p.run = i.run AND p.task = i.task AND p.finished = 0 AND i.doc >= p.docs) AS waits
  FROM item i
    LEFT JOIN LATERAL (SELECT l.owner FROM lease l WHERE l.request = i.request LIMIT 1) l ON true
    LEFT JOIN LATERAL (SELECT q.batch FROM batch_request q WHERE q.request = i.request LIMIT 1) q ON true
  WHERE i.run = $4 AND i.id > $5 AND i.id <= $6 AND i.request IS NOT NULL
    AND (SELECT s.seq FROM response s WHERE s.request = i.request LIMIT 1) IS NULL
  ORDER BY i.id LIMIT $7`

/** Leases the next pending requests of a run. It skips requests that living processes hold or that are in a batch. */
export function lease(context: Context, run: Run, wanted: LeaseQuery): Promise<LeaseResult> {
  const { owners } = context
  return context.db.write(async query => {
    await startWork(context, query, run)
    await owners.bury(query)
    const { rows, end } = await searchPending(context, query, run, wanted)
    const { free, elsewhere, exhausted, firstWaiting, ...sorted } = sortPending(
      rows.map(row => ({ ...row, doc_id: fromColumn(row.doc_id) })),
      wanted,
      { me: owners.me, lives: ({ lives }) => lives },
    )
    const leases = await takeLeases(context, query, run, free)
    // The cursor moves past answered items behind the last pending one, so that they are not read again each time.
    const last = Math.max(exhausted ? end.item : 0, sorted.last ?? 0)
    return {
      leases,
      next: firstWaiting === undefined ? Math.max(last, wanted.after) : firstWaiting - 1,
      exhausted: exhausted && (end.isLast || firstWaiting !== undefined),
      // Requests that another process is leasing or answering at this moment count as well.
      elsewhere: [...elsewhere.values()].reduce((sum, items) => sum + items, free.size - leases.length),
      holders: await owners.holders(query, elsewhere),
    }
  })
}

/** Reads pending items of the first part of a run that has some, and tells where that part ends. */
async function searchPending(
  { owners }: Context,
  query: Query,
  run: Run,
  { after, limit, failuresAfter = 0, retryFailed }: LeaseQuery,
): Promise<{ readonly rows: readonly PendingRow[]; readonly end: PartEnd }> {
  for (let start = after, size = fewestSearched; ; size *= growth) {
    // It is read before the rows, so that no item which is committed meanwhile is passed over.
    const end = await findEnd(query, run, { after: start, size })
    const rows = await query<PendingRow>(pendingSql, [
      ...[owners.me, failuresAfter, retryFailed, run.ref, start, end.item, limit],
    ])
    if (rows.length > 0 || end.isLast) return { rows, end }
    start = end.item
  }
}

interface PartEnd {
  /** The last item of the part. */
  readonly item: number
  /** True if the run has no more items. */
  readonly isLast: boolean
}

async function findEnd(
  query: Query,
  run: Run,
  { after, size }: { readonly after: number; readonly size: number },
): Promise<PartEnd> {
  const [row] = await query<{ item: number | null; items: number }>(
    `SELECT max(id) AS item, count(*) AS items FROM
       (SELECT id FROM item WHERE run = $1 AND id > $2 ORDER BY id LIMIT $3) part`,
    [run.ref, after, size],
  )
  return { item: row?.item ?? after, isLast: (row?.items ?? 0) < size }
}

/**
 * Leases requests that look free. A request that another transaction is leasing or answering is locked, and skipped. With the lock held, no answer
 * can arrive, so a second check with a new snapshot is reliable.
 */
async function takeLeases(
  { owners }: Context,
  query: Query,
  run: Run,
  free: ReadonlyMap<number, PendingRow>,
): Promise<readonly Lease[]> {
  if (free.size === 0) return []
  const locked = await query<{ id: number }>(
    'SELECT r.id FROM request r WHERE r.id = ANY($1) ORDER BY r.id FOR UPDATE SKIP LOCKED',
    [[...free.keys()]],
  )
  const ours = new Set(locked.map(({ id }) => id))
  const leaseRows = await query<{ request: number; token: number }>(
    `INSERT INTO lease AS l (request, owner, token)
     SELECT i.request, $1, nextval('lease_token')
     FROM (SELECT i.request FROM unnest($2::bigint[]) WITH ORDINALITY i(request, place)
       WHERE NOT ${isAnswered} AND NOT ${isInBatch} ORDER BY i.place) i
     ON CONFLICT (request) DO UPDATE SET owner = excluded.owner, token = excluded.token
       WHERE l.owner <> excluded.owner AND NOT ${livesSql('l.owner')}
     RETURNING request, token`,
    [owners.me, [...free.keys()].filter(request => ours.has(request))],
  )
  const tokens = new Map(leaseRows.map(({ request, token }) => [request, token]))
  return makeLeases(
    query,
    run,
    [...free.values()].flatMap(row => {
      const token = tokens.get(row.request)
      return token === undefined ? [] : [{ ...row, token }]
    }),
  )
}

/** The columns of a request `r` that a lease needs, in the form of `RequestRow`. Join it with {@link requestParts}. */
export const requestColumns = `r.id AS request, ${digestSql('r.key')} AS key, r.sample, r.instance, ${digestSql('n.key')} AS input_key,
  n.preimage AS input, r.config, ${digestSql('g.key')} AS config_key, ${digestSql('o.key')} AS code_key`
export const requestParts = `JOIN instance n ON n.id = r.instance JOIN preimage g ON g.id = r.config JOIN preimage o ON o.id = r.code`

async function makeLeases(
  query: Query,
  run: Run,
  leasedRows: readonly (Pick<PendingRow, 'item' | 'task' | 'doc_id' | 'request'> & { readonly token: number })[],
): Promise<readonly Lease[]> {
  const rows = await query<Omit<RequestRow, 'item' | 'task' | 'doc_id'>>(
    `SELECT ${requestColumns} FROM request r ${requestParts} WHERE r.id = ANY($1)`,
    [leasedRows.map(({ request }) => request)],
  )
  const byRequest = new Map(rows.map(row => [row.request, row]))
  const findGeneration = await readGenerations(
    query,
    rows.map(({ config }) => config),
  )
  return leasedRows.flatMap(({ item, task, doc_id, request, token }) => {
    const row = byRequest.get(request)
    if (row === undefined) return []
    const by = { token, run: run.ref, task: run.asked.tasks[task]?.name, findGeneration }
    return [makeLease({ ...row, item, task, doc_id }, by)]
  })
}

/** Reads the generation kwargs of configs. They are checked when they are used. */
export async function readGenerations(query: Query, configs: readonly (number | null)[]): Promise<FindGeneration> {
  const ids = [...new Set(configs)].filter(id => id !== null)
  const rows =
    ids.length === 0
      ? []
      : await query<{ id: number; key: ConfigKey; preimage: string }>(
          `SELECT id, ${digestSql('key')} AS key, preimage FROM preimage WHERE id = ANY($1)`,
          [ids],
        )
  const byId = new Map(rows.map(row => [row.id, row]))
  const generations = new Map<number, GenerationKwargs>()
  return config => {
    const generation = generations.get(config) ?? parseGeneration(config, byId.get(config))
    generations.set(config, generation)
    return generation
  }
}

/** Tells which leases are still held. A process that was stopped for long may have lost its leases to others. */
export function findHeld({ db }: Context, leases: readonly Lease[]): Promise<readonly boolean[]> {
  return db.read(async query => {
    const plain = leases.filter(({ batch }) => batch === undefined)
    const rows = await query<{ token: number }>(
      `SELECT l.token FROM unnest($1::bigint[], $2::bigint[]) u(request, token)
         JOIN lease l ON l.request = u.request AND l.token = u.token`,
      [plain.map(({ request }) => request), plain.map(({ token }) => token)],
    )
    const heldTokens = new Set(rows.map(({ token }) => token))
    return leases.map(({ token, batch }) => batch !== undefined || heldTokens.has(token))
  })
}
