import type { BatchState, BatchStore, ProviderBatch } from '../../batches.js'
import type { Failure, Run } from '../../records.js'
import type { Lease } from '../../store.js'
import type { Context } from '../connection/context.js'
import { commitFailure, releaseLeases, rememberGenerations } from './leases.js'
import { digestSql } from '../rows.js'
import {
  type BatchProgress,
  type BatchRow,
  batchProgressText,
  computeBatchSum,
  makeHeldLease,
  readBatchRow,
  type HeldRow,
  type LeaseSearch,
} from '../../rows/batches.js'
import { toText } from '../../rows/sums.js'

/** Implements the batches of a store. Only a batch's open requests can be read. */
export const sqliteBatches = (context: Context): BatchStore => ({
  begin: (name, address) => context.commit.add(() => begin(context, name, address)),
  add: (batch, leases) => context.commit.add(() => add(context, batch, leases)),
  reject: (batch, lease, failure) => reject(context, batch, { lease, failure }),
  advance: (batch, change) => context.commit.add(() => advance(context, batch, change)),
  open: run => Promise.resolve().then(() => openBatches(context, run)),
  adopt: batch => context.commit.add(() => adopt(context, batch)),
  requests: (batch, run, page) => Promise.resolve().then(() => listLeases(context, { batch, run }, page)),
  find: (batch, run, keys) => Promise.resolve().then(() => findRequests(context, { batch, run }, keys)),
  close: batch =>
    context.commit.add(() => void context.sql('DELETE FROM batch_request WHERE batch = ?').run(batch.ref)),
})

const columns = '*, (SELECT count(*) FROM batch_request q WHERE q.batch = batch.id) AS held'

function read(context: Context, ref: number): ProviderBatch {
  const row = context.sql<BatchRow>(`SELECT ${columns} FROM batch WHERE id = ?`).get(ref)
  if (row === undefined) throw new Error('internal error: batch vanished')
  return readBatchRow(context, row)
}

function begin(context: Context, name: string, address: string): ProviderBatch {
  const state: BatchState = 'filling'
  const row = { name, address, requests: 0, progress: toText({ state }) }
  const made = context
    .sql('INSERT INTO batch (name, address, requests, progress, created, owner, sum) VALUES (?, ?, 0, ?, ?, ?, ?)')
    .run(name, address, row.progress, context.now(), context.owners.me, computeBatchSum(context, row))
  return read(context, Number(made.lastInsertRowid))
}

function add(context: Context, batch: ProviderBatch, leases: readonly Lease[]): ProviderBatch {
  for (const lease of leases) {
    if (releaseLeases(context, lease))
      context.sql('INSERT INTO batch_request (request, batch) VALUES (?, ?)').run(lease.request, batch.ref)
  }
  return recount(context, batch)
}

/** Sets the number of requests to those in the batch. It is called only before the batch is sent. */
function recount(context: Context, batch: ProviderBatch): ProviderBatch {
  const { open } = read(context, batch.ref)
  return write(context, { ...batch, requests: open })
}

async function reject(
  context: Context,
  batch: ProviderBatch,
  { lease, failure }: { readonly lease: Lease; readonly failure: Failure },
): Promise<ProviderBatch> {
  await commitFailure(context, { ...lease, batch: batch.ref }, failure)
  return context.commit.add(() => recount(context, batch))
}

function advance(
  context: Context,
  batch: ProviderBatch,
  change: Pick<ProviderBatch, 'state'> & Partial<BatchProgress>,
): ProviderBatch {
  return write(context, { ...batch, ...change })
}

function write(context: Context, batch: ProviderBatch): ProviderBatch {
  const { name, address, requests, ref } = batch
  const progress = batchProgressText(batch)
  const { changes } = context
    .sql('UPDATE batch SET requests = ?, progress = ?, sum = ? WHERE id = ? AND owner = ?')
    .run(requests, progress, computeBatchSum(context, { name, address, requests, progress }), ref, context.owners.me)
  if (changes === 0) throw new Error(`batch ${name} was taken over by another process`)
  return read(context, ref)
}

function openBatches(context: Context, run: Run | undefined): readonly ProviderBatch[] {
  if (context.sql('SELECT 1 FROM batch_request LIMIT 1').get() === undefined) return []
  const wanted = `SELECT 1 FROM batch_request q JOIN item i ON i.request = q.request
    WHERE q.batch = batch.id AND (i.run = @run OR @run IS NULL)`
  const held = 'SELECT 1 FROM batch_request q WHERE q.batch = batch.id'
  return context
    .sql<BatchRow>(`SELECT ${columns} FROM batch WHERE EXISTS (${run === undefined ? held : wanted}) ORDER BY id`)
    .all(...(run === undefined ? [] : [{ run: run.ref }]))
    .map(row => readBatchRow(context, row))
}

function adopt(context: Context, { ref }: ProviderBatch): ProviderBatch | undefined {
  const batch = read(context, ref)
  if (batch.open === 0) return undefined
  const owner = context.sql<{ owner: number | null }>('SELECT owner FROM batch WHERE id = ?').get(ref)?.owner ?? null
  if (owner !== null && owner !== context.owners.me && context.owners.isAlive(owner)) return undefined
  context.sql('UPDATE batch SET owner = ? WHERE id = ?').run(context.owners.me, ref)
  return batch
}

const heldSql = (where: string): string => `
  SELECT q.request, ${digestSql('r.key')} AS key, r.sample, r.instance, ${digestSql('n.key')} AS input_key,
    n.preimage AS input, r.config, ${digestSql('g.key')} AS config_key, ${digestSql('o.key')} AS code_key,
    i.id AS item, i.run, i.doc_id, i.task
  FROM batch_request q JOIN request r ON r.id = q.request JOIN instance n ON n.id = r.instance
    JOIN preimage g ON g.id = r.config JOIN preimage o ON o.id = r.code
    LEFT JOIN item i ON i.id = (SELECT id FROM item WHERE request = q.request ORDER BY run = @run DESC, id LIMIT 1)
  WHERE q.batch = @batch AND ${where}`

function listLeases(
  context: Context,
  search: LeaseSearch,
  { after, limit }: { after: number; limit: number },
): readonly Lease[] {
  return context
    .sql<HeldRow>(`${heldSql('q.request > @after')} ORDER BY q.request LIMIT @limit`)
    .all({ batch: search.batch.ref, run: search.run.ref, after, limit })
    .map(row => makeHeldLease(search, row, rememberGenerations(context)))
}

function findRequests(context: Context, search: LeaseSearch, keys: readonly string[]): ReadonlyMap<string, Lease> {
  const sql = context.sql<HeldRow>(heldSql('r.key >= @from AND r.key <= @to'))
  const found = new Map<string, Lease>()
  for (const key of keys) {
    const [from, to] = [Buffer.from(key.padEnd(64, '0'), 'hex'), Buffer.from(key.padEnd(64, 'f'), 'hex')]
    const row = sql.get({ batch: search.batch.ref, run: search.run.ref, from, to })
    if (row !== undefined) found.set(key, makeHeldLease(search, row, rememberGenerations(context)))
  }
  return found
}
