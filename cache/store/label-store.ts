import type { Judgement, LabelAddress, MadeLabel, NewLabel, PlacedLabels, Run, StoredLabel } from '../records.js'

/** Stores what people say of answers. Entries are only added, never changed: a newer one of the same author replaces an older one. */
export interface LabelStore {
  /**
   * Adds a label that is made now. Its time is later than that of the author's earlier labels of the same answers.
   *
   * @throws PipelineError (usage) if the note or the author's name is too long or empty
   */
  add(label: NewLabel): Promise<StoredLabel>
  /**
   * Adds labels that were made elsewhere, in one transaction. Labels that are present already are skipped.
   *
   * @returns the number of labels that were missing
   */
  merge(labels: readonly MadeLabel[]): Promise<number>
  /** Returns the history of each address, in the order of the addresses. It is empty if nobody labelled the answers. */
  of(addresses: readonly LabelAddress[]): Promise<readonly (readonly StoredLabel[])[]>
  /**
   * Returns the docs of a run whose answers have labels, in the order of task and doc. It starts from the labels, so
   * that a run of a million docs with few labels costs little.
   *
   * @param judgement reads the records that this judgement used, as `JudgementStore.samples` does
   */
  ofRun(run: Run, judgement?: Judgement): Promise<readonly PlacedLabels[]>
  /** Reads all labels in the order in which they were stored. @param after begins behind the label with this id */
  list(after?: number): AsyncIterable<StoredLabel>
}
