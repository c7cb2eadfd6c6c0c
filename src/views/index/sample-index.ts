import type { DocPlace } from '../../../cache/store.js'
import type { OpenedRun } from '../../evaluation/run-reference.js'
import type { Facet, SampleFilter, SampleRows, SampleRowsQuery } from '../page-data/index.js'

/** Answers which samples of a run a filter finds, page by page. */
export interface SampleIndex {
  /**
   * Returns a page of the samples that a filter finds, with how much of the run it could look at.
   *
   * @param against the run that `flipped`, `improved`, `worsened` and `change` compare with
   */
  rows(opened: OpenedRun, query: SampleRowsQuery, against?: OpenedRun, signal?: AbortSignal): Promise<SampleRows>
  /** Returns the fields by which results are broken down, with their labels. */
  facets(opened: OpenedRun): Promise<readonly Facet[]>
  /** Returns the offset of a sample among those that a filter finds, or -1 if the filter does not find it. */
  position(opened: OpenedRun, query: SampleFilter, place: DocPlace, against?: OpenedRun): Promise<number>
  /** Prepares a run for filters and for the search, in the background. Nothing waits for it. */
  prepare(opened: OpenedRun): void
  close(): Promise<void>
}
