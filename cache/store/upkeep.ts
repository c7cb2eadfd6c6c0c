import type { Garbage, GarbageQuery } from './garbage.js'
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
