/** The data of the pages of runs. The browser gets these objects as JSON, so they hold only plain data; times are ISO 8601. */
import type { Aggregate, JsonObject } from '../../../../cache/records.js'
import type { Facet } from '../../../../cache/store.js'

/** The state of a run. `not judged`: all requests are answered, but there are no scores yet. */
export type RunState = 'running' | 'complete' | 'incomplete' | 'not judged'

export interface RunProgress {
  readonly docs: number
  /** It may still grow while docs are read. */
  readonly requests: number
  readonly answered: number
  readonly failed: number
  readonly scored: number
}

/** A run in the list of runs. */
export interface RunRow {
  readonly id: string
  readonly name: string
  readonly created: string
  /** The backend with its model and the arguments that can change answers: `openai gpt-4o`. */
  readonly model: string
  readonly tasks: readonly string[]
  readonly tags: readonly string[]
  /** The run's `--name`. */
  readonly title?: string
  /** The remark that is kept with the run. */
  readonly note?: string
  readonly state: RunState
  readonly progress: RunProgress
  /** Metrics of whole tasks and groups, without their breakdowns. */
  readonly scores: readonly Aggregate[]
}

/** Filters the list of runs, and selects a page. */
export interface RunsQuery {
  /** A part of the name, the model, a task or a tag. */
  readonly q?: string
  readonly state?: RunState
  readonly task?: string
  readonly tag?: string
  /** @default 'created', newest first */
  readonly sort?: 'created' | 'name' | 'model'
  readonly offset: number
  readonly limit: number
}

/** One page of the list of runs. */
export interface RunsPage {
  readonly rows: readonly RunRow[]
  readonly total: number
}

/** Failed requests of one class. */
export interface FailureClass {
  readonly class: string
  readonly requests: number
  /** The most frequent messages. */
  readonly messages: readonly { readonly message: string; readonly requests: number }[]
  /** A few of the docs. */
  readonly docs: readonly DocRef[]
}

/** The address of a doc in a run: the number of its task among the run's, and its index in the task. */
export interface DocRef {
  readonly task: number
  readonly index: number
  readonly id: string
}

export type { Facet }

/** Everything of a run but its samples. */
export interface RunView extends RunRow {
  /** The judgement that is shown, and the numbers of all finished ones. */
  readonly judgement: number | null
  readonly judgements: readonly number[]
  /** All metrics: of tasks, of groups, and broken down. */
  readonly metrics: readonly Aggregate[]
  /** Names of tasks and groups in tables, where they differ. */
  readonly aliases: Readonly<Record<string, string>>
  readonly groups: readonly { readonly name: string; readonly members: readonly string[] }[]
  readonly facets: readonly Facet[]
  readonly failures: readonly FailureClass[]
  /** The missing parts of a run that stopped before its end, and how to continue; null for a run that is complete or still running. */
  readonly unfinished: {
    /** The reason why the last session of the run ended; null where it left no record. */
    readonly stopped: { readonly code: string; readonly message: string; readonly at: string } | null
    readonly missing: readonly string[]
    /** Absent where the task has to change, which makes another run. */
    readonly command?: string
    readonly advice?: string
  } | null
  /** Docs that have answers but no score, by reason. */
  readonly unjudged: readonly {
    readonly task: string
    readonly outcome: string
    readonly reason: string
    readonly docs: number
  }[]
  /** The section `throughput` of results JSON, with `timeline` and `cost`; null where nothing was measured. */
  readonly throughput: JsonObject | null
  readonly provenance: Provenance
}

/** The versions and settings that are needed to reproduce the numbers. */
export interface Provenance {
  readonly version: string
  readonly commit?: string
  readonly dirty?: boolean
  readonly node: string
  readonly model: JsonObject
  /** The model names that the server reported, most frequent first. Absent if it reported only the requested model. */
  readonly served?: readonly { readonly model: string; readonly answers: number }[]
  readonly tasks: readonly {
    readonly name: string
    readonly identity: string
    readonly dataset: JsonObject
  }[]
  /** The configuration, as a file for `pipeline eval --config`. */
  readonly yaml: string
  /** A command line that starts the same run again. */
  readonly command: string
}
