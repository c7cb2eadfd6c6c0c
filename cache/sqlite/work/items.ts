import type { Context } from '../connection/context.js'
import { DamagedRowError } from '../rows.js'

/** An item as it is stored. */
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

/** What the checksum of an item is over, with the checksum. */
export interface CheckableItem extends Pick<ItemRow, 'task' | 'doc' | 'choice' | 'sample' | 'doc_id' | 'request'> {
  readonly item: number
  /** The run's own, whatever a judgement uses instead. */
  readonly item_record: number
  readonly item_sum: number
}

/** @throws DamagedRowError where an item is not what was written: its doc would be held against another doc's target. */
export function checkItem(context: Context, run: number, row: CheckableItem): void {
  const { task, doc, choice, sample, doc_id, request, item_record: record } = row
  if (sumOfItem(context, { run, task, doc, choice, sample, doc_id, request, record }) !== row.item_sum)
    throw new DamagedRowError('item', row.item)
}
