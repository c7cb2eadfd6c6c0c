import { wellFormed } from '../../../base/text/visible-text.js'
import { isPermanent } from '../../records.js'
import { digestBytes } from '../../digest.js'
import { type Failure } from '../../records.js'
import type { Context } from '../connection/context.js'
import { type FailureRow, type StoredResponse, checkedFailure } from '../../rows/answers.js'

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

/** @throws DamagedRowError if the failure is damaged */
export function readFailure(context: Context, id: number): Failure | undefined {
  const row = context.sql<FailureRow>('SELECT * FROM failure WHERE id = ?').get(id)
  return row === undefined ? undefined : checkedFailure(context, row)
}

/** SQL conditions on the state of an item `i`. For runs, see cache/facts/run-state.ts. */

export const isAnswered = 'EXISTS (SELECT 1 FROM response s WHERE s.request = i.request)'

/** SQL for the latest failure of an item `i`, of its request in this run, or of its request permanently. A failure counts only while there is no answer. */
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
