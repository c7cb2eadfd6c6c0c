import type { BatchStore, ProviderBatch } from '../../batches.js'
import type { Failure, Run } from '../../records.js'
import {
  batchProgressText,
  computeBatchSum,
  makeHeldLease,
  readBatchRow,
  type BatchRow,
  type HeldRow,
  type LeaseSearch,
} from '../../rows/batches.js'
import type { Lease } from '../../store.js'
import { fromColumn, nowSql, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { livesSql } from '../connection/owners.js'
import { commitFailure, releaseLeases } from './answers/answers.js'
import { readGenerations, requestColumns, requestParts } from './leases.js'

/** Implements the batches of a store. Only a batch's open requests can be read. */
export function postgresBatches(context: Context): BatchStore {
  const { db } = context
  return {
    begin: (name, address) => db.write((query, attempt) => begin(context, query, { name, address, attempt })),
    add: (batch, leases) => db.write(query => addLeases(context, query, batch, leases)),
    reject: (batch, lease, failure) => reject(context, batch, lease, failure),
    advance: (batch, change) => db.write(query => write(context, query, { ...batch, ...change })),
    open: run => db.read(query => findOpen(context, query, run)),
    adopt: batch => db.write(query => adopt(context, query, batch)),
    requests: (batch, run, { after, limit }) =>
      db.read(async query => {
        const rows = await query<HeldRow>(`${heldSql('q.request > $3')} ORDER BY q.request LIMIT $4`, [
          ...[batch.ref, run.ref, after, limit],
        ])
        return makeLeases(query, { batch, run }, rows)
      }),
    find: (batch, run, keys) => db.read(query => findRequests(query, { batch, run }, keys)),
    close: batch =>
      db.write(async query => {
        await query('DELETE FROM batch_request WHERE batch = $1', [batch.ref])
      }),
  }
}

const columns = 'b.*, (SELECT count(*) FROM batch_request q WHERE q.batch = b.id) AS held'

async function read(context: Context, query: Query, ref: number): Promise<ProviderBatch> {
  const [row] = await query<BatchRow>(`SELECT ${columns} FROM batch b WHERE id = $1`, [ref])
  if (row === undefined) throw new Error('internal error: batch vanished')
  return readBatchRow(context, row)
}

async function begin(
  context: Context,
  query: Query,
  { name, address, attempt }: { readonly name: string; readonly address: string; readonly attempt: number },
): Promise<ProviderBatch> {
  const progress = batchProgressText({ state: 'filling' })
  const sum = computeBatchSum(context, { name, address, requests: 0, progress })
  // An earlier attempt may have made it, without a sign that reached this process.
  const again = attempt === 0 ? '' : 'ON CONFLICT (name) DO UPDATE SET owner = excluded.owner'
  const [batchRow] = await query<{ id: number }>(
    `INSERT INTO batch (name, address, requests, progress, created, owner, sum) VALUES ($1, $2, 0, $3, ${nowSql}, $4, $5) ${again} RETURNING id`,
    [name, address, progress, context.owners.me, sum],
  )
  return read(context, query, batchRow?.id ?? 0)
}

async function addLeases(
  context: Context,
  query: Query,
  batch: ProviderBatch,
  leases: readonly Lease[],
): Promise<ProviderBatch> {
  const heldFlags = await releaseLeases(query, leases)
  await query('INSERT INTO batch_request (request, batch) SELECT u.request, $2 FROM unnest($1::bigint[]) u(request)', [
    leases.flatMap(({ request }, index) => (heldFlags[index] === true ? [request] : [])),
    batch.ref,
  ])
  return recount(context, query, batch)
}

/** Sets the number of requests to those in the batch. It is called only before the batch is sent. */
async function recount(context: Context, query: Query, batch: ProviderBatch): Promise<ProviderBatch> {
  const { open } = await read(context, query, batch.ref)
  return write(context, query, { ...batch, requests: open })
}

async function reject(context: Context, batch: ProviderBatch, lease: Lease, failure: Failure): Promise<ProviderBatch> {
  await commitFailure(context, { ...lease, batch: batch.ref }, failure)
  return context.db.write(query => recount(context, query, batch))
}

async function write(context: Context, query: Query, batch: ProviderBatch): Promise<ProviderBatch> {
  const { name, address, requests, ref } = batch
  const progress = batchProgressText(batch)
  const changed = await query(
    'UPDATE batch SET requests = $2, progress = $3, sum = $4 WHERE id = $1 AND owner = $5 RETURNING id',
    [ref, requests, progress, computeBatchSum(context, { name, address, requests, progress }), context.owners.me],
  )
  if (changed.length === 0) throw new Error(`batch ${name} was taken over by another process`)
  return read(context, query, ref)
}

async function findOpen(context: Context, query: Query, run: Run | undefined): Promise<readonly ProviderBatch[]> {
  const rows = await query<BatchRow>(
    `SELECT ${columns} FROM batch b WHERE EXISTS (SELECT 1 FROM batch_request q WHERE q.batch = b.id
       AND ($1::bigint IS NULL OR EXISTS (SELECT 1 FROM item i WHERE i.request = q.request AND i.run = $1))) ORDER BY b.id`,
    [run?.ref ?? null],
  )
  return rows.map(row => readBatchRow(context, row))
}

async function adopt(context: Context, query: Query, { ref }: ProviderBatch): Promise<ProviderBatch | undefined> {
  await context.owners.bury(query)
  const batch = await read(context, query, ref)
  if (batch.open === 0) return undefined
  const adopted = await query(
    `UPDATE batch b SET owner = $2 WHERE b.id = $1 AND (b.owner IS NULL OR b.owner = $2 OR NOT ${livesSql('b.owner')}) RETURNING id`,
    [ref, context.owners.me],
  )
  return adopted.length === 0 ? undefined : batch
}

const heldSql = (where: string): string => `
  SELECT ${requestColumns}, i.id AS item, i.run, i.doc_id, i.task
  FROM batch_request q JOIN request r ON r.id = q.request ${requestParts}
    LEFT JOIN LATERAL (SELECT * FROM item o WHERE o.request = q.request ORDER BY (o.run = $2) DESC, o.id LIMIT 1) i ON true
  WHERE q.batch = $1 AND ${where}`

async function findRequests(
  query: Query,
  search: LeaseSearch,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Lease>> {
  const leasesByPrefix = new Map<string, Lease>()
  const rows = await query<HeldRow & { readonly prefix: string }>(
    `SELECT u.prefix, h.* FROM unnest($3::text[]) u(prefix) JOIN LATERAL (
       ${heldSql("r.key >= decode(rpad(u.prefix, 64, '0'), 'hex') AND r.key <= decode(rpad(u.prefix, 64, 'f'), 'hex')")} LIMIT 1) h ON true`,
    [search.batch.ref, search.run.ref, keys],
  )
  const leases = await makeLeases(query, search, rows)
  for (const [index, { prefix }] of rows.entries()) {
    const lease = leases[index]
    if (lease !== undefined) leasesByPrefix.set(prefix, lease)
  }
  return leasesByPrefix
}

async function makeLeases(query: Query, search: LeaseSearch, rows: readonly HeldRow[]): Promise<readonly Lease[]> {
  const findGeneration = await readGenerations(
    query,
    rows.map(({ config }) => config),
  )
  return rows.map(row =>
    makeHeldLease(search, { ...row, doc_id: row.doc_id === null ? null : fromColumn(row.doc_id) }, findGeneration),
  )
}
