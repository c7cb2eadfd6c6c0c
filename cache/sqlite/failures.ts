import { permanentFailures, type Failure } from '../records.js'
import type { Context } from './context.js'
import { DamagedRowError } from './rows.js'

interface FailureRow extends Failure {
  readonly run: number
  readonly item: number
  readonly request: number | null
  readonly permanent: number
  readonly sum: number
}

/** @throws DamagedRowError where it is not what was written. */
export function readFailure(context: Context, id: number): Failure | undefined {
  const row = context.sql<FailureRow>('SELECT * FROM failure WHERE id = ?').get(id)
  if (row === undefined) return undefined
  const { class: failureClass, message, attempts } = row
  const sum = context.sum(row.run, row.item, row.request, failureClass, message, attempts, row.permanent)
  if (sum !== row.sum) throw new DamagedRowError('failure', id)
  const opensAgain = row.permanent === 0 && permanentFailures.has(failureClass)
  return { class: failureClass, message, attempts, ...(opensAgain ? { opensAgain } : {}) }
}
