/** Checks rows of labels and tags. */
import type { AnswersKey, RecordKey } from '../digest.js'
import type { LabelValue, MadeLabel, StoredLabel } from '../records.js'
import { DamagedRowError, type RowSums } from './sums.js'

/** A row of the table of labels. */
export interface LabelRow {
  readonly id: number
  readonly record: RecordKey
  readonly answers: AnswersKey
  readonly label: LabelValue | null
  readonly note: string
  readonly author: string
  readonly at: number
  readonly run: string
  readonly task: string
  readonly doc: string
  readonly sum: number
}

export const sumOfLabel = ({ sum }: RowSums, row: MadeLabel): number =>
  sum(...['label', row.record, row.answers, row.label, row.note, row.author, row.at, row.run, row.task, row.doc])

/** Reads a label row. @throws DamagedRowError if the checksum is wrong, because the author's words would be misquoted */
export function readLabelRow(sums: RowSums, { sum, ...label }: LabelRow): StoredLabel {
  if (sumOfLabel(sums, label) !== sum) throw new DamagedRowError('label', label.id)
  return label
}

/** A row of the table of tags. */
export interface TagRow {
  readonly id: number
  readonly run: number
  readonly tag: string
  readonly sum: number
}

export const sumOfTag = ({ sum }: RowSums, { run, tag }: Pick<TagRow, 'run' | 'tag'>): number => sum('tag', run, tag)

/** Returns the tag of a row. @throws DamagedRowError if the checksum is wrong */
export function soundTag(sums: RowSums, row: TagRow): string {
  if (sumOfTag(sums, row) !== row.sum) throw new DamagedRowError('run_tag', row.id)
  return row.tag
}
