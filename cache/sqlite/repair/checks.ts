import type { Context } from '../connection/context.js'

/** Checks one table by reading all of its rows. */
export interface RowCheck {
  readonly table: string
  readonly rows: (context: Context, after: number) => readonly CheckedRow[]
}

export interface CheckedRow {
  readonly id: number
  /** A key, or the row's place in a run, which a person can look up. */
  readonly name: string
  readonly isSound: boolean
}

/** Checks references between rows. The rows' own checksums are verified by row-checks.ts. */
export interface LinkCheck {
  readonly table: string
  /** Returns the names of damaged rows. */
  readonly find: (context: Context) => readonly string[]
  /** Repairs what was found. Call inside a write transaction. */
  readonly repair: (context: Context) => void
}
