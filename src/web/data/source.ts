/** The source of the pages' data: the server of the viewer, or the report's own file. */
import type {
  CompareView,
  DocRuns,
  DocsPage,
  DocsQuery,
  KeyView,
  JudgeCalibration,
  LeaderboardQuery,
  LeaderboardView,
  MediaRef,
  RunsPage,
  RunsQuery,
  PartView,
  PowerQuery,
  PowerView,
  RunView,
  SampleFilter,
  SampleHistograms,
  SampleRows,
  SampleRowsQuery,
  SampleView,
  StabilityView,
} from '../../present/page/data/index.js'

/** The data source of the pages. Runs are named as in addresses: `NAME`, or `NAME@2` for a judgement. */
export interface Source {
  /** The actions that the pages may offer. */
  readonly can: {
    readonly label: boolean
    readonly start: boolean
    readonly showDocs: boolean
    readonly plan: boolean
  }
  runs(query: RunsQuery): Promise<RunsPage>
  run(name: string): Promise<RunView>
  samples(run: string, query: SampleRowsQuery, signal?: AbortSignal): Promise<SampleRows>
  /** Counts the samples that a filter finds by their numbers. */
  histograms(run: string, filter: SampleFilter, signal?: AbortSignal): Promise<SampleHistograms>
  /** Returns the offset of a sample among the matches of the filter, or null if it does not match. */
  position(run: string, filter: SampleFilter, task: number, index: number, signal?: AbortSignal): Promise<number | null>
  sample(run: string, task: number, index: number): Promise<SampleView>
  /** Answers of the other runs to a doc. */
  docRuns(run: string, task: number, index: number): Promise<DocRuns>
  /** The docs of several runs, with the sample of each run. */
  docs(query: DocsQuery, signal?: AbortSignal): Promise<DocsPage>
  compare(a: string, b: string): Promise<CompareView>
  /** The models of the judged runs and their scores. */
  leaderboard(query: LeaderboardQuery): Promise<LeaderboardView>
  /** Plans a comparison from assumptions, or from the scores of runs. */
  power(query: PowerQuery): Promise<PowerView>
  /** Measures how far the samples of each doc agree. `others` are further runs that docs are diagnosed with. */
  stability(run: string, others: readonly string[]): Promise<StabilityView>
  /** Compares the judge's values with human labels. */
  calibration(run: string): Promise<JudgeCalibration>
  key(run: string, key: string): Promise<KeyView>
  /** Returns the address of a medium or of a thumbnail. Undefined if there is none. */
  mediaUrl(medium: MediaRef): string | undefined
  thumbnailUrl(medium: MediaRef, width: number): string | undefined
  /** The loudness of a sound over its length, from 0 to 1. Absent where no server computes it. */
  peaks?(medium: MediaRef, count: number, signal?: AbortSignal): Promise<readonly number[]>
  /** The times in seconds of the frames of a video that a model was sent. Absent where no server computes them. */
  frameTimes?(video: MediaPart, signal?: AbortSignal): Promise<readonly number[]>
  frameUrl?(video: MediaRef, seconds: number, width: number): string | undefined
  /** Calls back when runs change, with their names, or with undefined if the list itself changed. Returns a function that ends the watch. */
  watch(moved: (runs: readonly string[] | undefined) => void): () => void
}

/** A medium as a part of a message. */
export type MediaPart = Exclude<PartView, { readonly type: 'text' }>

/** The error of a failed load, with a message for the user. */
export class SourceError extends Error {
  readonly status: number
  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}
