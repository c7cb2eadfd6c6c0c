/** Checks and parses rows of items, answers and failures. */
import type { AnswerDigest } from '../digest.js'
import { permanentFailures, type Failure, type ResponseBody } from '../records.js'
import { DamagedRowError, type RowSums } from './sums.js'

/** A row of the table of responses. */
export interface StoredResponse {
  readonly seq: number | null
  readonly request: number | null
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
  readonly sum: number
}

/** Computes the checksum of a row of the table of responses. */
export const sumOfResponse = (
  { sum }: RowSums,
  { request, digest, body, meta }: Omit<StoredResponse, 'seq' | 'sum'>,
): number => sum(request, digest, body, meta)

/** Parses the body of a response row. @throws DamagedRowError if the row is damaged */
export const checkedBody = (sums: RowSums, row: StoredResponse): ResponseBody =>
  JSON.parse(checkedBodyText(sums, row)) as ResponseBody

export function checkedBodyText(sums: RowSums, row: StoredResponse): string {
  if (sumOfResponse(sums, row) !== row.sum) throw new DamagedRowError('response', row.seq ?? 0)
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

export const sumOfItem = ({ sum }: RowSums, row: Omit<ItemRow, 'id' | 'sum'>): number =>
  sum(row.run, row.task, row.doc, row.choice, row.sample, row.doc_id, row.request, row.record)

/** The columns that an item's checksum covers, with the checksum. */
export interface CheckableItem extends Pick<ItemRow, 'task' | 'doc' | 'choice' | 'sample' | 'doc_id' | 'request'> {
  readonly item: number
  /** The run's record. A judgement may use another one. */
  readonly item_record: number
  readonly item_sum: number
}

/** @throws DamagedRowError if the item is damaged, because its answer would be compared with another doc's target */
export function checkItem(sums: RowSums, run: number, row: CheckableItem): void {
  const { task, doc, choice, sample, doc_id, request, item_record: record } = row
  if (sumOfItem(sums, { run, task, doc, choice, sample, doc_id, request, record }) !== row.item_sum)
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

export const sumOfFailure = ({ sum }: RowSums, row: Omit<FailureRow, 'id' | 'sum'>): number =>
  sum(row.run, row.item, row.request, row.class, row.message, row.attempts, row.permanent)

/** @throws DamagedRowError if the failure is damaged */
export function checkedFailure(sums: RowSums, row: FailureRow): Failure {
  const { class: failureClass, message, attempts, permanent } = row
  if (sumOfFailure(sums, row) !== row.sum) throw new DamagedRowError('failure', row.id)
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
