import type { Run } from '../records.js'

/** Options of a garbage collection. */
export interface GarbageQuery {
  /** True to only count what would be freed. */
  readonly dryRun: boolean
  /** Counts as if these runs were removed already. Only with `dryRun`. @default none */
  readonly without?: readonly Run[]
}

/** A process that has the store open to write. */
export interface OpenProcess {
  readonly host: string
  readonly pid: number
}

/** The numbers and sizes of rows and media that no run refers to, and that are freed, or would be. */
export interface Garbage {
  /** Requests, with or without an answer. */
  readonly requests: number
  readonly responses: number
  readonly scores: number
  /** Judge records of docs. */
  readonly records: number
  /** The bytes of these rows' texts. */
  readonly rowBytes: number
  readonly media: { readonly files: number; readonly bytes: number }
  /**
   * Processes that have the store open, including this one if it works on a run. While there are any, media are not freed, because a process may be
   * about to refer to one.
   */
  readonly users: readonly OpenProcess[]
}
