import type { StoreStats, VerifyReport } from './reports.js'

/** Checks and repairs a store as a whole. */
export interface StoreUpkeep {
  stats(): Promise<StoreStats>
  /** Reads everything in the store and lists the damage. `repair` deletes damaged parts, so that they are computed again. */
  verify(options: { readonly repair: boolean }): Promise<VerifyReport>
}
