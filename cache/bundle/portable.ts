/**
 * A run as plain rows that mean the same in every store: what sealing writes to Parquet, a bundle carries and an import
 * merges. The field names are the Parquet columns' names. Keys are texts (`sha256:…`); texts whose digest is a key are
 * given byte for byte as they were digested.
 */
import type { Aggregate, RunSpec, FailureClass, Run, RunProvenance, TaskJudging } from '../records.js'
import type { MediaStore } from '../store.js'
import type { RunKey } from '../digest.js'

/** Rows in batches of a few thousand at most, of fewer where they are long. Can be read more than once, from the start each time. */
export type Table<Row> = () => AsyncIterable<readonly Row[]>

/** A key of the run that is no request's input and no judge record, and what it stands for. */
export interface PreimageRow {
  /** Whatever the store calls it: `config`, `code`, `task`, … */
  readonly kind: string
  readonly key: string
  readonly preimage: string
}

/** One request of one doc. In the order of task (as in the run), doc_index, choice, sample. */
export interface ItemRow {
  /** The task's name. */
  readonly task: string
  readonly doc_index: number
  readonly doc_id: string
  readonly choice: number
  readonly sample: number
  /** The five are null together: of a broken doc no request could be made. */
  readonly response_key: string | null
  readonly input_key: string | null
  /** The preimage of `input_key`: type, messages, continuation, tools. */
  readonly input: string | null
  readonly config_key: string | null
  readonly code_key: string | null
  readonly record_key: string
  /** The preimage of `record_key`: target, choices, the doc's other fields. */
  readonly record: string
}

/** One answer, once however many items ask for it. In the order of the first item that asks for it. */
export interface ResponseRow {
  readonly response_key: string
  /** Digest of `body`. */
  readonly answer: string
  /** Canonical JSON of a `ResponseBody`. */
  readonly body: string
  /** Canonical JSON of a `ResponseMeta`. */
  readonly meta: string
}

/** A failed attempt of an item that has no answer. In the order of the items, then of time. */
export interface FailureRow {
  readonly task: string
  readonly doc_index: number
  readonly choice: number
  readonly sample: number
  readonly class: FailureClass
  readonly message: string
  readonly attempts: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** What one judgement says of one doc. In the order of task, doc_index. */
export interface VerdictRow {
  readonly task: string
  readonly doc_index: number
  readonly doc_id: string
  /** The three are null together: the doc has no score in this judgement (yet). */
  readonly score_key: string | null
  /** JSON array of the digests of the answers that were scored, in the order of choice, sample. */
  readonly answers: string | null
  /** Canonical JSON of a `ScoreBody`. */
  readonly body: string | null
  /** The judge record that this judgement uses for the doc. */
  readonly record_key: string
  /** The preimage of `record_key`, where it is not the run's own record of the doc (a target that was mended later). */
  readonly revision: string | null
}

export interface PortableJudgement {
  /** `RUN@1`, in the store that it comes from. */
  readonly number: number
  /** Config and scorer keys are the digests of these. As many as the run has tasks. */
  readonly tasks: readonly TaskJudging[]
  readonly createdAt: number
  readonly finishedAt?: number
  readonly aggregates?: readonly Aggregate[]
  /** Docs with a score or a revision. */
  readonly verdicts: Table<VerdictRow>
}

/** The rows of a run alone. */
export interface RunTables {
  readonly preimages: Table<PreimageRow>
  readonly items: Table<ItemRow>
  readonly responses: Table<ResponseRow>
  readonly failures: Table<FailureRow>
  readonly judgements: readonly Pick<PortableJudgement, 'number' | 'verdicts'>[]
}

/** A run with all that belongs to it, to be streamed from one store into another. */
export interface PortableRun extends RunTables {
  readonly id: RunKey
  readonly name: string
  readonly asked: RunSpec
  readonly provenance: RunProvenance
  readonly createdAt: number
  /** How far the input stage came, by task, as many as the run has tasks. */
  readonly progress: readonly { readonly docs: number; readonly finished: boolean }[]
  /** Items with neither answer nor failure. */
  readonly pending: number
  readonly judgements: readonly PortableJudgement[]
}

/** A run in its own store, with what tells cheaply whether a sealed part is still what would be written. */
export interface ExportedRun extends PortableRun {
  /**
   * Any text that changes whenever a row of `preimages`, `items`, `responses` or `failures` does. Rows only come, so
   * counts and highest row numbers are enough (`items:10000 responses:10000@10412 failures:3@17`). Means nothing elsewhere.
   */
  readonly stamp: string
  readonly judgements: readonly (PortableJudgement & {
    /** The same, for the judgement's rows (`verdicts:1000 finished:1763769600000`). */
    readonly stamp: string
  })[]
}

/** `refuse`: nothing is imported where a key has another content here. `keep-ours`: what is here stays. */
export type OnConflict = 'refuse' | 'keep-ours'

/** The same key with different bytes. */
export interface Conflict {
  readonly kind: 'item' | 'response' | 'score' | 'verdict'
  /** The response or score key; `task/doc_id` of an item or verdict (with ` choice 1 sample 2` where there is more than one). */
  readonly key: string
}

export interface RowCounts {
  readonly items: number
  readonly responses: number
  readonly scores: number
}

export interface ImportOutcome {
  readonly run: Run
  /** Whether the store did not know the run. */
  readonly isNew: boolean
  readonly added: RowCounts
  /** Rows that were here already, with the same bytes. */
  readonly present: RowCounts
  /** Empty unless `keep-ours`. */
  readonly conflicts: readonly Conflict[]
}

/** What a store needs beyond `Store` to seal, export and import runs. */
export interface PortableStore {
  /** The store's folder; sealed runs are in `runs/<run name>/`. */
  readonly dir: string
  readonly media: MediaStore

  /**
   * A run as rows. A run that is being worked on is given as far as it is: read in the order judgements, responses,
   * failures, items, every table refers only to rows that a later one has.
   */
  exportRun(run: Run): Promise<ExportedRun>

  /** The same rows, without counting them first. */
  runTables(run: Run): Promise<RunTables>

  /**
   * Merges a run that is verified (every key is the digest of its content) into the store.
   *
   * Idempotent and commutative: importing the same twice, or two in either order, ends in the same rows.
   * - run row: made if missing (`id`, `name`, `asked`, `provenance`, `createdAt`); ours stays if it is there.
   * - progress: the further one of each task.
   * - preimages, inputs, records: added if missing. Requests come from the items' keys.
   * - items by (run, task, doc_index, choice, sample): the same keys, else a conflict. A batch's `task` is a name of `asked.tasks`.
   * - responses by key: the same `answer`, else a conflict; `meta` is no part of the comparison, ours stays.
   * - failures: the union by all their fields.
   * - judgements: the same one has equal `tasks` and `createdAt`. Numbers are given anew over all of the run's judgements,
   *   in the order of `createdAt`, then of the canonical JSON of `tasks`. Finished wins over unfinished.
   * - scores by key: the same `body`, else a conflict. Verdicts by (judgement, task, doc_index): the same score key and
   *   record key, else a conflict; one with a score wins over one without.
   *
   * Either all is merged or, where the process dies on the way, what is missing is merged by importing again; the run's
   * row comes with or after its items. Tables may be read twice: once to find conflicts, once to merge.
   *
   * @throws PipelineError (bundle) with `conflictMessage(…)` where `onConflict` is `refuse` and there is a conflict;
   *   nothing is changed then.
   */
  importRun(run: PortableRun, onConflict: OnConflict): Promise<ImportOutcome>
}

/** Named conflicts at most; the rest is counted. */
const named = 10

/** One problem a line, for the error that refuses an import. */
export function conflictMessage(run: string, conflicts: readonly Conflict[]): readonly string[] {
  const rest = conflicts.length - named
  return [
    `${run} is in conflict with this store: ${conflicts.length} of its keys have another content here. Nothing was imported.`,
    ...conflicts.slice(0, named).map(({ kind, key }) => `  ${kind} ${key}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    'To keep what is in this store and import the rest, import with --on-conflict keep-ours.',
  ]
}
