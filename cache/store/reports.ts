/** Defines the reports of a store about its own content. */
import type { Json } from '../../base/values/canonical-json.js'

/** A field in which the requests of two runs differ. */
export interface MissReason {
  /** The field's path, such as `config.generation.max_new_tokens`. */
  readonly path: string
  /** The value in the first pair of requests that differs there. */
  readonly before: Json | undefined
  readonly after: Json | undefined
  readonly requests: number
  /** The `task/doc` of that pair. */
  readonly example: string
  /** True if all pairs differ in the same way. */
  readonly isUniform: boolean
}

/** A key with its preimage. */
export interface ExplainedKey {
  readonly key: string
  readonly preimage: Json
}

/** The parts of a response key. */
export interface KeyParts {
  readonly input: ExplainedKey
  readonly config: ExplainedKey
  readonly code: ExplainedKey
  readonly sample: number
}

/** The reasons why the requests of two runs differ. */
export interface MissReport {
  /** The number of requests for the same doc in both runs. */
  readonly shared: number
  readonly differing: number
  /** The reasons, most frequent first. */
  readonly reasons: readonly MissReason[]
}

/** The damaged records of a store. */
export interface VerifyReport {
  /** The number of rows read by table, and of media. */
  readonly checked: Readonly<Record<string, number>>
  readonly damaged: readonly { readonly kind: string; readonly name: string }[]
  readonly repaired: boolean
  /** Set if the database was unreadable and was rebuilt from its readable rows. */
  readonly salvaged?: {
    /** The number of saved rows by table. */
    readonly rows: Readonly<Record<string, number>>
    /** The path of the damaged file, if there was one. */
    readonly kept?: string
    /** The names of sealed runs that were restored from their tables. */
    readonly sealed: readonly string[]
    /** The sealed runs with damaged tables, with the damage. */
    readonly unreadable: readonly string[]
  }
}

/** Counts and sizes of a store's content. */
export interface StoreStats {
  readonly runs: number
  readonly requests: number
  readonly responses: number
  readonly scores: number
  readonly failures: number
  readonly media: { readonly files: number; readonly bytes: number }
  readonly databaseBytes: number
}
