/** What a store tells of itself. */
import type { Json } from '../../base/values/canonical-json.js'

/** A field in which the requests of two runs differ. */
export interface MissReason {
  /** `config.generation.max_new_tokens` */
  readonly path: string
  /** In the first pair that differs there. */
  readonly before: Json | undefined
  readonly after: Json | undefined
  readonly requests: number
  /** `task/doc` of that pair. */
  readonly example: string
  /** Whether all pairs differ in the same way. */
  readonly isUniform: boolean
}

export interface MissReport {
  /** Requests for the same doc in both runs. */
  readonly shared: number
  readonly differing: number
  /** Most frequent first. */
  readonly reasons: readonly MissReason[]
}

export interface VerifyReport {
  /** Rows read, by table, and media. */
  readonly checked: Readonly<Record<string, number>>
  readonly damaged: readonly { readonly kind: string; readonly name: string }[]
  readonly repaired: boolean
  /** Where the database could not be read as it was, and was made anew of what could be. */
  readonly salvaged?: {
    /** Rows that were read, by table. */
    readonly rows: Readonly<Record<string, number>>
    /** The damaged file, if there was one. */
    readonly kept?: string
    /** Sealed runs that were brought back from their tables, by name. */
    readonly sealed: readonly string[]
    /** Sealed runs whose tables are damaged, too, with what is. */
    readonly unreadable: readonly string[]
  }
}

export interface StoreStats {
  readonly runs: number
  readonly requests: number
  readonly responses: number
  readonly scores: number
  readonly failures: number
  readonly media: { readonly files: number; readonly bytes: number }
  readonly databaseBytes: number
}
