/** The data of a report in one HTML file, with everything that its pages show. */
import type { LeaderboardView } from './leaderboard.js'
import type { CompareView } from './comparison.js'
import type { RunView } from './runs.js'
import type { SampleRow } from './samples.js'

/** The JSON in the element `report-data`. */
export interface ReportData {
  readonly version: string
  readonly made: string
  readonly runs: readonly ReportedRun[]
  /** Comparisons of each run with the first. */
  readonly comparisons: readonly CompareView[]
  /** The models and tasks of several runs. Absent for one run. */
  readonly leaderboard?: LeaderboardView
  /** The parts that the file leaves out, as sentences: media over the budget, samples that are left out. */
  readonly leftOut: readonly string[]
}

export interface ReportedRun {
  readonly view: RunView
  /** The labels of each row by field, for the filter by label. They are in the order of rows. */
  readonly labels: readonly Readonly<Record<string, string>>[]
  readonly rows: readonly SampleRow[]
  /**
   * Samples stand whole in elements `samples-RUN-CHUNK`: gzip in base64, a JSON array of this many `SampleView`s each, in
   * the order of rows. RUN is the run's number in the file.
   */
  readonly chunk: number
  /** Rows from this one on have no sample in the file. */
  readonly whole: number
}
