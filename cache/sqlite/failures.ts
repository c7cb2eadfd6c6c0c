import { permanentFailures, type Failure } from '../records.js'
import type { Context } from './context.js'
import { DamagedRowError } from './rows.js'

/** A row as it is written. */
export interface FailureRow extends Failure {
  readonly id: number
  readonly run: number
  readonly item: number
  readonly request: number | null
  readonly permanent: number
  readonly sum: number
}

/** @throws DamagedRowError where it is not what was written. */
export function readFailure(context: Context, id: number): Failure | undefined {
  const row = context.sql<FailureRow>('SELECT * FROM failure WHERE id = ?').get(id)
  return row === undefined ? undefined : checkedFailure(context, row)
}

/** @throws DamagedRowError where it is not what was written. */
export function checkedFailure(context: Context, row: FailureRow): Failure {
  const { id, run, item, request, class: failureClass, message, attempts, permanent } = row
  const sum = context.sum(run, item, request, failureClass, message, attempts, permanent)
  if (sum !== row.sum) throw new DamagedRowError('failure', id)
  const opensAgain = permanent === 0 && permanentFailures.has(failureClass)
  return { class: failureClass, message, attempts, ...(opensAgain ? { opensAgain } : {}) }
}
