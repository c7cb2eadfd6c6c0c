import { digestSql } from '../rows.js'

/** The columns of the table of labels, in the form of `LabelRow`. */
export const labelColumns = `id, ${digestSql('record')} AS record, ${digestSql('answers')} AS answers, label, note, author, at, run, task, doc, sum`
