import { hexDigits, type CodeKey, type ConfigKey, type RecordKey, type ResponseKey } from '../../digest.js'
import { sumOfItem, type ItemRow } from '../../rows/answers.js'
import type { KeyedDoc } from '../../rows/keyed-docs.js'
import { sumOfFile, sumOfProgress } from '../../rows/sums.js'
import type { Failure, Run } from '../../records.js'
import type { RequestKeys } from '../../request-keys.js'
import type { SourceFile, UnsentRequests } from '../../store.js'
import { splitColumns, takeNumbers, toColumn, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { insertFailures } from './failures.js'
import { findNumbers, internPreimages, internTexts, requireNumber } from './interning.js'

interface Batch {
  readonly run: Run
  readonly task: number
  readonly docs: readonly KeyedDoc[]
}

/**
 * Writes docs as items of the run. Items that are present stay. Call inside a write transaction, before any other statement.
 *
 * @returns how many of the docs' requests the run need not send
 */
export async function insertDocs(context: Context, query: Query, { run, task, docs }: Batch): Promise<UnsentRequests> {
  const requests = docs.flatMap(doc => doc.requests.map(request => ({ doc, request })))
  if (requests.length === 0 && docs.length === 0) return { answered: 0, shared: 0 }
  // The counter's lock also keeps other transactions from inserting the same rows in another order.
  const first = await takeNumbers(context, query, 'item', requests.length)
  const records = docs.map(({ record }) => record)
  const keys = requests.flatMap(({ request }) => request.keys ?? [])
  const { known, recordNumber, requestNumber } = await storeItemTexts(query, records, keys)
  const unsent = await countUnsent(query, run, { requests: keys.map(({ response }) => response), known })
  await insertItems(
    context,
    query,
    requests.map(({ doc, request }, index) => ({
      ...{ id: first + index, run: run.ref, task, doc: doc.index, choice: request.choice, sample: request.sample },
      ...{ doc_id: doc.id, record: recordNumber(doc.record.key) },
      request: requestNumber(request.keys),
      failure: request.failure,
    })),
  )
  await insertFiles(
    context,
    query,
    run,
    docs.flatMap(({ files }) => files),
  )
  return unsent
}

/**
 * Counts requests that a run need not send.
 *
 * @param batch.requests the key of each doc's request, with repeats
 * @param batch.known the numbers of requests that the store had before
 */
async function countUnsent(
  query: Query,
  run: Run,
  batch: { readonly requests: readonly ResponseKey[]; readonly known: ReadonlyMap<ResponseKey, number> },
): Promise<UnsentRequests> {
  const uses = await readUses(query, run, [...batch.known.values()])
  const unsent = { answered: 0, shared: 0 }
  const earlier = new Set<ResponseKey>()
  for (const key of batch.requests) {
    const use = uses.get(batch.known.get(key) ?? 0) ?? (earlier.has(key) ? 'shared' : undefined)
    if (use !== undefined) unsent[use] += 1
    earlier.add(key)
  }
  return unsent
}

/** Returns why a run need not send requests, by their numbers. */
async function readUses(
  query: Query,
  run: Run,
  requests: readonly number[],
): Promise<ReadonlyMap<number, keyof UnsentRequests>> {
  if (requests.length === 0) return new Map()
  const rows = await query<{ request: number; use: keyof UnsentRequests | null }>(
    `SELECT u.request, CASE WHEN EXISTS (SELECT 1 FROM response s WHERE s.request = u.request) THEN 'answered'
       WHEN EXISTS (SELECT 1 FROM item i WHERE i.request = u.request AND i.run = $2) THEN 'shared' END AS use
     FROM unnest($1::bigint[]) u(request)`,
    [requests, run.ref],
  )
  return new Map(rows.flatMap(({ request, use }) => (use === null ? [] : [[request, use] as const])))
}

/** The row numbers of what items refer to. */
interface ItemTexts {
  /** The numbers of the requests that the store had before. */
  readonly known: ReadonlyMap<ResponseKey, number>
  readonly recordNumber: (key: RecordKey) => number
  /** Returns null for an item without a request. */
  readonly requestNumber: (keys: Pick<RequestKeys, 'response'> | undefined) => number | null
}

/** Stores the records and requests that items refer to. Existing ones stay. */
export async function storeItemTexts(
  query: Query,
  records: readonly { readonly key: RecordKey; readonly preimage: string }[],
  requests: readonly RequestKeys[],
): Promise<ItemTexts> {
  await internTexts(query, 'record', records)
  const numbersByKey = await insertRequests(query, requests)
  const recordNumbers = await findNumbers<RecordKey>(
    query,
    'record',
    records.map(({ key }) => key),
  )
  const requestNumbers = await findNumbers<ResponseKey>(
    query,
    'request',
    requests.map(({ response }) => response),
  )
  return {
    known: numbersByKey,
    recordNumber: key => requireNumber(recordNumbers, 'record', key),
    requestNumber: keys => (keys === undefined ? null : requireNumber(requestNumbers, 'request', keys.response)),
  }
}

/** Stores requests with the preimages of their keys. Existing requests stay. @returns the numbers of those that the store had before */
async function insertRequests(
  query: Query,
  requests: readonly RequestKeys[],
): Promise<ReadonlyMap<ResponseKey, number>> {
  if (requests.length === 0) return new Map()
  // A known request has its parts in the store, which are larger than its key.
  const numbers = await findNumbers(
    query,
    'request',
    requests.map(({ response }) => response),
  )
  const missing = [
    ...new Map(requests.flatMap(keys => (numbers.has(keys.response) ? [] : [[keys.response, keys] as const]))).values(),
  ]
  if (missing.length === 0) return numbers
  await internPreimages(
    query,
    // A bundle's preimages are stored before its requests, which name only their keys.
    missing.flatMap(({ config }) => (config.preimage === '' ? [] : [{ kind: 'config' as const, ...config }])),
  )
  await internTexts(
    query,
    'instance',
    missing.map(({ input }) => input),
  )
  const parts = await findNumbers<ConfigKey | CodeKey>(
    query,
    'preimage',
    missing.flatMap(({ config, code }) => [config.key, code]),
  )
  await query(
    `INSERT INTO request (key, instance, config, code, sample)
     SELECT decode(u.key, 'hex'), n.id, u.config, u.code, u.sample
     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::integer[])
         WITH ORDINALITY u(key, input, config, code, sample, place) JOIN instance n ON n.key = decode(u.input, 'hex')
     ORDER BY u.place ON CONFLICT (key) DO NOTHING`,
    splitColumns(
      missing.map(({ response, input, config, code, sample }) => ({
        ...{ key: hexDigits(response), input: hexDigits(input.key), sample },
        ...{ config: requireNumber(parts, 'preimage', config.key), code: requireNumber(parts, 'preimage', code) },
      })),
      ['key', 'input', 'config', 'code', 'sample'],
    ),
  )
  return numbers
}

/** An item before it is stored. */
export interface NewItem extends Omit<ItemRow, 'sum'> {
  readonly failure?: Failure | undefined
}

/** Stores items. Existing items stay. @returns the numbers of the stored items */
export async function insertItems(
  context: Context,
  query: Query,
  items: readonly NewItem[],
): Promise<ReadonlySet<number>> {
  if (items.length === 0) return new Set()
  const rows = items.map(item => ({ ...item, doc_id: toColumn(item.doc_id), sum: sumOfItem(context, item) }))
  const insertedRows = await query<{ id: number }>(
    `INSERT INTO item (id, run, task, doc, choice, sample, doc_id, request, record, sum)
     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::text[],
       $8::bigint[], $9::bigint[], $10::bigint[])
     ON CONFLICT (run, task, doc, choice, sample) DO NOTHING RETURNING id`,
    splitColumns(rows, ['id', 'run', 'task', 'doc', 'choice', 'sample', 'doc_id', 'request', 'record', 'sum']),
  )
  const ids = new Set(insertedRows.map(({ id }) => id))
  const failed = items.flatMap(({ id, run, failure }) =>
    failure !== undefined && ids.has(id) ? [{ run, item: id, request: null, failure }] : [],
  )
  await insertFailures(context, query, failed)
  return ids
}

async function insertFiles(context: Context, query: Query, run: Run, files: readonly SourceFile[]): Promise<void> {
  const byPath = new Map(files.map(({ path, digest }) => [path, hexDigits(digest)]))
  if (byPath.size === 0) return
  const rows = [...byPath].map(([path, digest]) => ({ path, digest, sum: sumOfFile(context, run.ref, path, digest) }))
  await query(
    `INSERT INTO run_file (run, path, digest, sum)
     SELECT $1, u.path, decode(u.digest, 'hex'), u.sum FROM unnest($2::text[], $3::text[], $4::bigint[]) u(path, digest, sum)
     ON CONFLICT (run, path) DO UPDATE SET digest = excluded.digest, sum = excluded.sum`,
    [run.ref, ...splitColumns(rows, ['path', 'digest', 'sum'])],
  )
}

/** Writes the progress of a task. It never decreases. Call inside a write transaction. */
export async function writeProgress(
  context: Context,
  query: Query,
  { run, task, docs, finished }: { run: number; task: number; docs: number; finished: boolean },
): Promise<void> {
  const [row] = await query<{ docs: number; finished: number }>(
    `INSERT INTO input_progress AS p (run, task, docs, finished, sum) VALUES ($1, $2, $3, $4, 0)
     ON CONFLICT (run, task) DO UPDATE SET docs = greatest(p.docs, excluded.docs), finished = greatest(p.finished, excluded.finished)
     RETURNING docs, finished`,
    [run, task, docs, finished ? 1 : 0],
  )
  if (row === undefined) throw new Error('internal error: progress not written')
  await query('UPDATE input_progress SET sum = $3 WHERE run = $1 AND task = $2', [
    run,
    task,
    sumOfProgress(context, run, task, row.docs, row.finished),
  ])
}
