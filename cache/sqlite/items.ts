import type { Context } from './context.js'
import { DamagedRowError } from './rows.js'

/** What the checksum of an item is over, with the checksum. */
export interface CheckableItem {
  readonly item: number
  readonly task: number
  readonly doc: number
  readonly choice: number
  readonly sample: number
  readonly doc_id: string
  readonly request: number | null
  /** The run's own, whatever a judgement uses instead. */
  readonly item_record: number
  readonly item_sum: number
}

/** @throws DamagedRowError where an item is not what was written: its doc would be held against another doc's target. */
export function checkItem(context: Context, run: number, row: CheckableItem): void {
  const { task, doc, choice, sample, doc_id: id, request, item_record: record } = row
  if (context.sum(run, task, doc, choice, sample, id, request, record) !== row.item_sum)
    throw new DamagedRowError('item', row.item)
}
