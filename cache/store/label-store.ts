import type { Judgement, LabelAddress, MadeLabel, NewLabel, PlacedLabels, Run, StoredLabel } from '../records.js'

/** Stores human labels of answers. Entries are only added, never changed. An author's newer label replaces the older one. */
export interface LabelStore {
  /**
   * Adds a new label. Its time is later than the author's earlier labels of the same answers.
   *
   * @throws PipelineError (usage) if the note or the author's name is too long or empty
   */
  add(label: NewLabel): Promise<StoredLabel>
  /**
   * Adds labels from another store, in one transaction. Existing labels are skipped.
   *
   * @returns the number of labels that were missing
   */
  merge(labels: readonly MadeLabel[]): Promise<number>
  /** Returns the history of each address, in the order of the addresses. It is empty without labels. */
  of(addresses: readonly LabelAddress[]): Promise<readonly (readonly StoredLabel[])[]>
  /**
   * Returns the docs of a run whose answers have labels, in the order of task and doc. It starts from the labels, so
   * that a run of a million docs with few labels costs little.
   *
   * @param judgement reads the records that this judgement used, as `JudgementStore.samples` does
   */
  ofRun(run: Run, judgement?: Judgement): Promise<readonly PlacedLabels[]>
  /** Reads all labels in the order in which they were stored. @param after begins after the label with this id */
  list(after?: number): AsyncIterable<StoredLabel>
}
