import { digestOfBytes } from '../digest.js'
import type { FailedItem } from '../store.js'
import type { Run, RunProvenance, RunSpec } from '../records.js'
import { checkedFailure, type FailureRow } from './answers.js'
import { DamagedRowError, type RowSums } from './sums.js'

/** A row of the table of runs. */
export interface RunRow {
  readonly id: number
  readonly key: Buffer
  readonly name: string
  readonly asked: string
  readonly provenance: string
  readonly created: number
  readonly started: number
  readonly sum: number
}

/** @throws DamagedRowError if the checksum is wrong */
export function toRun({ sum }: RowSums, row: RunRow): Run {
  if (sum(row.asked, row.provenance) !== row.sum) throw new DamagedRowError('run', row.id)
  return {
    ref: row.id,
    id: digestOfBytes(row.key),
    name: row.name,
    asked: JSON.parse(row.asked) as RunSpec,
    provenance: JSON.parse(row.provenance) as RunProvenance,
    createdAt: row.created,
  }
}

/** A failure that applies to an item, with the item's place. */
export interface FailedRow extends FailureRow {
  readonly task: number
  readonly doc: number
  readonly doc_id: string
  readonly choice: number
  readonly sample: number
}

/** @throws DamagedRowError if the failure is damaged */
export function toFailedItem(sums: RowSums, run: Run, row: FailedRow): FailedItem {
  const { doc_id: doc, doc: index, choice, sample } = row
  return { task: taskName(run, row.task), doc, index, choice, sample, failure: checkedFailure(sums, row) }
}

/** Returns the name of a task by its index in the run. */
export const taskName = (run: Run, task: number): string => run.asked.tasks[task]?.name ?? ''
