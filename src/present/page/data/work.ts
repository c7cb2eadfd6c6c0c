/** Data of the page of jobs beside the jobs themselves. */

/** A process that works on runs or jobs of the store. */
export interface WorkerRow {
  readonly host: string
  readonly pid: number
  /** The names of its runs. */
  readonly runs: readonly string[]
  /** The ids of its jobs. */
  readonly jobs: readonly string[]
  /** Requests that it holds. */
  readonly requests: number
  readonly answers: number
  readonly answers_per_second: number
  readonly silent_seconds: number
  readonly stale: boolean
}

/** The processes that work on the store, and the jobs that wait. */
export interface WorkView {
  readonly workers: readonly WorkerRow[]
  readonly queue: {
    readonly jobs: number
    readonly oldest_seconds: number | null
    /** Jobs that the workers which looked at them cannot do, with each reason. */
    readonly declined: readonly { readonly job: string; readonly why: readonly string[] }[]
  }
}
