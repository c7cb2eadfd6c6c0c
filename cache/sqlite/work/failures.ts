import { permanentFailures, type Failure } from '../../records.js'
import type { Context } from '../connection/context.js'
import { DamagedRowError } from '../rows.js'

/** A row as it is written. */
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

/** @throws DamagedRowError where it is not what was written. */
export function readFailure(context: Context, id: number): Failure | undefined {
  const row = context.sql<FailureRow>('SELECT * FROM failure WHERE id = ?').get(id)
  return row === undefined ? undefined : checkedFailure(context, row)
}

/** @throws DamagedRowError where it is not what was written. */
export function checkedFailure(context: Context, row: FailureRow): Failure {
  const { class: failureClass, message, attempts, permanent } = row
  if (sumOfFailure(context, row) !== row.sum) throw new DamagedRowError('failure', row.id)
  const opensAgain = permanent === 0 && permanentFailures.has(failureClass)
  return { class: failureClass, message, attempts, ...(opensAgain ? { opensAgain } : {}) }
}
