import type { Run } from '../records.js'
import type { StoreStats, VerifyReport } from './reports.js'

/** Checks and repairs a store as a whole. */
export interface StoreUpkeep {
  stats(): Promise<StoreStats>
  /** Returns how many bytes this user may still write to the store. Undefined if the store cannot tell. */
  freeBytes(): Promise<number | undefined>
  /** Reads everything in the store and lists the damage. `repair` deletes damaged parts, so that they are computed again. */
  verify(options: { readonly repair: boolean }): Promise<VerifyReport>
  /**
   * Frees requests, answers, scores, judge records and media that no run refers to. Requests that a living process holds and those in a provider's batch
   * stay, and media stay while another process has the store open. Labels are never freed.
   */
  collectGarbage(query: GarbageQuery): Promise<Garbage>
}

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
