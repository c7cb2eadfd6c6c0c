import type { AnswersKey, RecordKey } from '../digest.js'

/** The values of a label that a person can give to an answer. */
export const labelValues = ['right', 'wrong', 'unclear'] as const
/** The values of a label. */
export type LabelValue = (typeof labelValues)[number]

/** The content that a label belongs to. The same answers to the same doc have the same labels in every run. */
export interface LabelAddress {
  readonly record: RecordKey
  readonly answers: AnswersKey
}

/** A new label for the answers of one doc. */
export interface NewLabel extends LabelAddress {
  /** Null takes the author's label back. */
  readonly label: LabelValue | null
  /** At most 10,000 characters. Empty if there is none. */
  readonly note: string
  /** At most 200 characters. */
  readonly author: string
  /** The name of the run that the label was made in. The run may have been removed since. */
  readonly run: string
  readonly task: string
  readonly doc: string
}

/** A label with the time when it was made. */
export interface MadeLabel extends NewLabel {
  /** Milliseconds since 1970. */
  readonly at: number
}

/** One entry of the history of labels. The newest entry of an author counts. */
export interface StoredLabel extends MadeLabel {
  /** Grows in the order in which labels are stored. It has no meaning in another store. */
  readonly id: number
}

/** The labels of one doc of a run. */
export interface PlacedLabels {
  readonly task: number
  readonly index: number
  /** The whole history, in the order in which it was stored. */
  readonly labels: readonly StoredLabel[]
}

/** The maximum length of a label's note, in characters. */
export const longestNote = 10_000
/** The maximum length of an author's name, in characters. */
export const longestAuthor = 200
