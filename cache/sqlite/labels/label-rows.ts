import type { AnswersKey, RecordKey } from '../../digest.js'
import type { LabelValue, MadeLabel, StoredLabel } from '../../records.js'
import type { Context } from '../connection/context.js'
import { DamagedRowError, digestSql } from '../rows.js'

/** A row of the table of labels, as {@link labelColumns} reads it. */
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

export const labelColumns = `id, ${digestSql('record')} AS record, ${digestSql('answers')} AS answers, label, note, author, at, run, task, doc, sum`

export const sumOfLabel = (context: Context, row: MadeLabel): number =>
  context.sum(
    ...['label', row.record, row.answers, row.label, row.note, row.author, row.at, row.run, row.task, row.doc],
  )

/** @throws DamagedRowError if the checksum is wrong, because somebody would be said to have said something else */
export function readLabelRow(context: Context, { sum, ...label }: LabelRow): StoredLabel {
  if (sumOfLabel(context, label) !== sum) throw new DamagedRowError('label', label.id)
  return label
}
