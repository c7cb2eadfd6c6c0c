/** The data of the viewer's pages, for the routes. */
import type {
  CompareView,
  DocRef,
  DocRuns,
  DocsPage,
  DocsQuery,
  KeyView,
  JudgeCalibration,
  LeaderboardQuery,
  LeaderboardView,
  PowerQuery,
  PowerView,
  RunMoved,
  RunsPage,
  RunsQuery,
  RunView,
  SampleFilter,
  SampleHistograms,
  SampleRows,
  SampleRowsQuery,
  SampleView,
  WorkView,
} from '../../present/page/data/index.js'

/** The place of a sample in its run. */
export type SamplePlace = Pick<DocRef, 'task' | 'index'>

/** Runs are named by any reference that the command line takes: a name, an id, `last`; `NAME@2` for a judgement. */
export interface Pages {
  runs(query: RunsQuery): Promise<RunsPage>
  run(name: string): Promise<RunView>
  samples(run: string, query: SampleRowsQuery, signal: AbortSignal): Promise<SampleRows>
  /** Counts the samples that a filter finds by their numbers. */
  histograms(run: string, filter: SampleFilter, signal: AbortSignal): Promise<SampleHistograms>
  /** @throws PipelineError if the run has no such sample */
  sample(run: string, place: SamplePlace): Promise<SampleView>
  /** The offset of a sample in the list that a filter makes; null where it is not in the list. */
  position(run: string, filter: SampleFilter, place: SamplePlace, signal: AbortSignal): Promise<number | null>
  key(run: string, key: string): Promise<KeyView>
  /** Answers of the other runs to a doc. @throws PipelineError if the run has no such doc */
  docRuns(run: string, place: SamplePlace): Promise<DocRuns>
  /** The docs of several runs, with the sample of each run. */
  docs(query: DocsQuery, signal: AbortSignal): Promise<DocsPage>
  compare(a: string, b: string): Promise<CompareView>
  leaderboard(query: LeaderboardQuery): Promise<LeaderboardView>
  /** Compares the judge's values with human labels. @throws PipelineError if the run is not scored, or has no label */
  calibration(run: string): Promise<JudgeCalibration>
  /** Plans a comparison from assumptions, or from the scores of runs. */
  power(query: PowerQuery): Promise<PowerView>
  /** The processes that work on the store, and its queue. */
  work(): Promise<WorkView>
  /** The states of runs that some process works on, and of those in `before`, by their names. */
  moving(before?: ReadonlyMap<string, RunMoved>): Promise<ReadonlyMap<string, RunMoved>>
  /** A text that changes when runs are added or removed. */
  list(): Promise<string>
  /** A text that changes when a job moves. */
  jobs(): Promise<string>
}
