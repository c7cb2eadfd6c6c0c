import { wellFormed } from '../../../base/text/visible-text.js'
import { isPermanent } from '../../records.js'
import { digestBytes, type AnswerDigest } from '../../digest.js'
import { type ResponseBody, permanentFailures, type Failure } from '../../records.js'
import type { Context } from '../connection/context.js'
import { DamagedRowError } from '../rows.js'

/** Parses the body of a response row. @throws DamagedRowError if the row is damaged */
export const checkedBody = (context: Context, row: StoredResponse): ResponseBody =>
  JSON.parse(checkedBodyText(context, row)) as ResponseBody

interface StoredResponse {
  readonly seq: number | null
  readonly request: number | null
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
  readonly sum: number
}

/** Stores the answer to a request. Call inside a write transaction. @returns false if an answer exists, which stays */
export function insertResponse(
  context: Context,
  { request, digest, body, meta }: Pick<StoredResponse, 'digest' | 'body' | 'meta'> & { readonly request: number },
): boolean {
  const made = context
    .sql('INSERT OR IGNORE INTO response (request, digest, body, meta, sum) VALUES (?, ?, ?, ?, ?)')
    .run(request, digestBytes(digest), body, meta, context.sum(request, digest, body, meta))
  return made.changes === 1
}

export function checkedBodyText(context: Context, row: StoredResponse): string {
  const sum = context.sum(row.request, row.digest, row.body, row.meta)
  if (sum !== row.sum) throw new DamagedRowError('response', row.seq ?? 0)
  return row.body
}

/** A row of the table of items. */
export interface ItemRow {
  readonly id: number
  readonly run: number
  readonly task: number
  readonly doc: number
  readonly choice: number
  readonly sample: number
  readonly doc_id: string
  readonly request: number | null
  readonly record: number
  readonly sum: number
}

export const sumOfItem = (context: Context, row: Omit<ItemRow, 'id' | 'sum'>): number =>
  context.sum(row.run, row.task, row.doc, row.choice, row.sample, row.doc_id, row.request, row.record)

/** The columns that an item's checksum covers, with the checksum. */
export interface CheckableItem extends Pick<ItemRow, 'task' | 'doc' | 'choice' | 'sample' | 'doc_id' | 'request'> {
  readonly item: number
  /** The run's own record. A judgement may use another one. */
  readonly item_record: number
  readonly item_sum: number
}

/** @throws DamagedRowError if the item is damaged, because its answer would be compared with another doc's target */
export function checkItem(context: Context, run: number, row: CheckableItem): void {
  const { task, doc, choice, sample, doc_id, request, item_record: record } = row
  if (sumOfItem(context, { run, task, doc, choice, sample, doc_id, request, record }) !== row.item_sum)
    throw new DamagedRowError('item', row.item)
}

/** A row of the table of failures. */
export interface FailureRow extends Failure {
  readonly id: number
  readonly run: number
  readonly item: number
  readonly request: number | null
  readonly permanent: number
  readonly sum: number
}

export const sumOfFailure = (context: Context, row: Omit<FailureRow, 'id' | 'sum'>): number =>
  context.sum(row.run, row.item, row.request, row.class, row.message, row.attempts, row.permanent)

/** @throws DamagedRowError if the failure is damaged */
export function readFailure(context: Context, id: number): Failure | undefined {
  const row = context.sql<FailureRow>('SELECT * FROM failure WHERE id = ?').get(id)
  return row === undefined ? undefined : checkedFailure(context, row)
}

/** @throws DamagedRowError if the failure is damaged */
export function checkedFailure(context: Context, row: FailureRow): Failure {
  const { class: failureClass, message, attempts, permanent } = row
  if (sumOfFailure(context, row) !== row.sum) throw new DamagedRowError('failure', row.id)
  const opensAgain = permanent === 0 && permanentFailures.has(failureClass)
  return { class: failureClass, message, attempts, ...(opensAgain ? { opensAgain } : {}) }
}

/** Groups rows by doc. They must be in the order of their docs. */
export function byDoc<Row extends { readonly task: number; readonly doc: number }>(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last?.[0]?.doc === row.doc && last[0].task === row.task) last.push(row)
    else groups.push([row])
  }
  return groups
}

/** SQL for an item `i`: whether it is answered, and which failure applies to it. For runs, see cache/facts/run-state.ts. */

export const isAnswered = 'EXISTS (SELECT 1 FROM response s WHERE s.request = i.request)'

/** The latest failure of the item, or of its request in this run or permanently. It counts only while there is no answer. */
export const failureOfItem = `(SELECT max(f.id) FROM failure f
  WHERE f.item = i.id OR (f.request = i.request AND (f.permanent OR f.run = i.run)))`

export const isInBatch = 'EXISTS (SELECT 1 FROM batch_request q WHERE q.request = i.request)'

/** Call inside a write transaction. */
export function insertFailure(
  context: Context,
  row: { readonly run: number; readonly item: number; readonly request: number | null; readonly failure: Failure },
): void {
  const { class: failureClass, attempts } = row.failure
  const message = wellFormed(row.failure.message)
  const permanent = isPermanent(row.failure) ? 1 : 0
  const sum = context.sum(row.run, row.item, row.request, failureClass, message, attempts, permanent)
  context
    .sql(
      'INSERT INTO failure (run, item, request, class, message, attempts, permanent, owner, at, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(
      row.run,
      row.item,
      row.request,
      failureClass,
      message,
      attempts,
      permanent,
      context.owners.me,
      context.now(),
      sum,
    )
}
