import type { StoreStats, VerifyReport } from './reports.js'

/** What is looked at and mended in a store as a whole. */
export interface StoreUpkeep {
  stats(): Promise<StoreStats>
  /** Reads all that is stored and names what is damaged. With `repair`, that is dropped, to be computed again. */
  verify(options: { readonly repair: boolean }): Promise<VerifyReport>
}
