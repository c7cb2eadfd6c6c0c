/**
 * Defines a run as plain rows that are independent of the store. Sealing writes them to Parquet, a bundle contains them, an import merges them. Field
 * names are the names of the Parquet columns. Keys are texts (`sha256:…`). Preimages are given byte for byte as they were digested.
 */
import { option } from '../../base/errors/option-words.js'
import type { Aggregate, MadeLabel, RunSpec, FailureClass, Run, RunProvenance, TaskJudging } from '../records.js'
import type { MediaStore } from '../store.js'
import type { RunKey } from '../digest.js'

/** Rows in batches of at most a few thousand. Each call reads from the start again. */
export type Table<Row> = () => AsyncIterable<readonly Row[]>

/** A key of the run with its preimage. Keys of inputs and judge records are in {@link ItemRow}. */
export interface PreimageRow {
  /** The store's name for the kind of key: `config`, `code`, `task`, … */
  readonly kind: string
  readonly key: string
  readonly preimage: string
}

/** One request of one doc. Rows are in the order of task (as in the run), doc_index, choice, sample. */
export interface ItemRow {
  /** The task's name. */
  readonly task: string
  readonly doc_index: number
  readonly doc_id: string
  readonly choice: number
  readonly sample: number
  /** The sample index in `response_key` if it differs from `sample`. It does for a sampled answer whose request other docs repeat. */
  readonly draw: number | null
  /** The following five fields are null together, if no request could be made from a broken doc. */
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

/** One answer, even if several items share it. Rows are in the order of the first item that uses each. */
export interface ResponseRow {
  readonly response_key: string
  /** The digest of `body`. */
  readonly answer: string
  /** A `ResponseBody` as canonical JSON. */
  readonly body: string
  /** A `ResponseMeta` as canonical JSON. */
  readonly meta: string
}

/** A failed attempt of an item that has no answer. Rows are in the order of the items, then of time. */
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

/** The result of one judgement for one doc. Rows are in the order of task, doc_index. */
export interface VerdictRow {
  readonly task: string
  readonly doc_index: number
  readonly doc_id: string
  /** The next three fields are null together, if the doc has no score in this judgement yet. */
  readonly score_key: string | null
  /** A JSON array with the digests of the scored answers, in the order of choice, sample. */
  readonly answers: string | null
  /** A `ScoreBody` as canonical JSON. */
  readonly body: string | null
  /** The key of the judge record that this judgement uses for the doc. */
  readonly record_key: string
  /** The preimage of `record_key` if it differs from the run's own record, because the doc's target was corrected later. */
  readonly revision: string | null
}

/** A judgement with its verdicts, as a bundle carries it. */
export interface PortableJudgement {
  /** The judgement's number in its original store, such as 1 in `RUN@1`. */
  readonly number: number
  /** One entry a task of the run. Config and scorer keys are the digests of its parts. */
  readonly tasks: readonly TaskJudging[]
  readonly createdAt: number
  readonly finishedAt?: number
  readonly aggregates?: readonly Aggregate[]
  /** Docs with a score or a revision. */
  readonly verdicts: Table<VerdictRow>
}

/** The tables of a run, without its counts. */
export interface RunTables {
  readonly preimages: Table<PreimageRow>
  readonly items: Table<ItemRow>
  readonly responses: Table<ResponseRow>
  readonly failures: Table<FailureRow>
  readonly judgements: readonly Pick<PortableJudgement, 'number' | 'verdicts'>[]
}

/** The human labels and tags of a run and its answers. */
export interface Remarks {
  /** The whole history of the labels of the run's answers, sorted by content. */
  readonly labels: readonly MadeLabel[]
  /** In alphabetical order. */
  readonly tags: readonly string[]
}

/** A run with everything that belongs to it, to be streamed from one store into another. */
export interface PortableRun extends RunTables {
  readonly id: RunKey
  readonly name: string
  readonly asked: RunSpec
  readonly provenance: RunProvenance
  readonly createdAt: number
  /** The progress of the input stage, one entry a task of the run. */
  readonly progress: readonly { readonly docs: number; readonly finished: boolean }[]
  /** The number of items with neither an answer nor a failure. */
  readonly pending: number
  readonly judgements: readonly PortableJudgement[]
  /** Reads labels and tags. Absent for sources without them, such as a sealed run. */
  readonly remarks?: () => Promise<Remarks>
  /** Reads the runs that hold the requests to judge models on behalf of this run, in the order of their ids. */
  readonly judgeCalls?: () => Promise<readonly PortableRun[]>
}

/** A run in its own store, with stamps that tell cheaply whether a sealed part is current. */
export interface ExportedRun extends PortableRun {
  /**
   * A text that changes whenever a row of `preimages`, `items`, `responses` or `failures` does. Rows are only added, so
   * counts and highest row numbers are enough (`items:10000 responses:10000@10412 failures:3@17`). It has no meaning
   * elsewhere.
   */
  readonly stamp: string
  readonly judgements: readonly (PortableJudgement & {
    /** A text that changes whenever the judgement's rows do (`verdicts:1000 finished:1763769600000`). */
    readonly stamp: string
  })[]
  readonly judgeCalls?: () => Promise<readonly ExportedRun[]>
}

/** The policy for conflicts. `refuse`: nothing is imported. `keep-ours`: the content of this store stays. */
export const onConflicts = ['refuse', 'keep-ours'] as const
export type OnConflict = (typeof onConflicts)[number]

/** A key that has different bytes in the bundle and in the store. */
export interface Conflict {
  readonly kind: 'item' | 'response' | 'score' | 'verdict'
  /**
   * The response key, the score key, or `task/doc_id` of an item or verdict. ` choice 1 sample 2` is added if a doc has
   * several.
   */
  readonly key: string
}

/** Numbers of rows by kind. */
export interface RowCounts {
  readonly items: number
  readonly responses: number
  readonly scores: number
}

/** The result of importing a bundle. */
export interface ImportOutcome {
  readonly run: Run
  /** True if the store did not contain the run before. */
  readonly isNew: boolean
  readonly added: RowCounts
  /** The number of rows that the store already contained with the same bytes. */
  readonly present: RowCounts
  /** The labels and tags that were added. Absent if the run came without any. */
  readonly remarks?: { readonly labels: number; readonly tags: number }
  /** The numbers of replies of judge models. Absent if the run came without any. */
  readonly judgeCalls?: { readonly added: number; readonly present: number }
  /** The conflicts that `keep-ours` resolved. Otherwise empty. */
  readonly conflicts: readonly Conflict[]
}

/** The functions that sealing, export and import need from a store beyond `Store`. */
export interface PortableStore {
  /** See `Store.location`. */
  readonly location: string
  /** See `Store.workFolder`. Sealed runs are in its `runs/<run name>/`. */
  readonly workFolder: string
  readonly media: MediaStore

  /**
   * Reads the current rows of a run. While other processes work on the run, the tables must be read in this order: judgements, responses, failures,
   * items. Every table then only refers to rows of later tables.
   */
  exportRun(run: Run): Promise<ExportedRun>

  /** Reads the same rows without counting them first. */
  runTables(run: Run): Promise<RunTables>

  /**
   * Merges a verified run into the store. In a verified run, every key is the digest of its content.
   *
   * The merge is idempotent and commutative: importing twice, or two runs in either order, gives the same rows.
   * - run row: added if missing (`id`, `name`, `asked`, `provenance`, `createdAt`). An existing row stays.
   * - progress: the further one of each task.
   * - preimages, inputs, records: added if missing. Requests are made from the items' keys.
   * - items by (run, task, doc_index, choice, sample): equal keys, else a conflict. `task` is a name in `asked.tasks`.
   *   The record of a judge call only names the doc that asked. Of two records, the one with the smaller key stays.
   * - responses by key: equal `answer`, else a conflict. `meta` is not compared, and the existing one stays.
   * - failures: the union by all their fields.
   * - judgements: two are the same if `tasks` and `createdAt` are equal. All judgements of the run are renumbered in
   *   the order of `createdAt`, then of the canonical JSON of `tasks`. Finished replaces unfinished.
   * - scores by key: equal `body`, else a conflict. Verdicts by (judgement, task, doc_index): equal score and record
   *   key, else a conflict. A verdict with a score replaces one without.
   * - labels: the union by all fields but the place where they were made. Tags: the union.
   * - runs of judge calls: merged by the same rules in the same transaction.
   *
   * If the process dies during the merge, importing again adds what is missing. The run's row is committed with or
   * after its items. Tables may be read twice: once to find conflicts, once to merge.
   *
   * @throws PipelineError (bundle) with `conflictMessage(…)` if `onConflict` is `refuse` and there is a conflict;
   *   nothing changes then
   */
  importRun(run: PortableRun, onConflict: OnConflict): Promise<ImportOutcome>
}

/** The maximum number of conflicts that a message lists. Further ones are counted. */
const mostListed = 10

/** Writes the error message that rejects an import, one conflict a line. */
export function conflictMessage(run: string, conflicts: readonly Conflict[]): readonly string[] {
  const rest = conflicts.length - mostListed
  return [
    `${run} is in conflict with this store: ${conflicts.length} of its keys have another content here. Nothing was imported.`,
    ...conflicts.slice(0, mostListed).map(({ kind, key }) => `  ${kind} ${key}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    `To keep what is in this store and import the rest, import with ${option('onConflict', 'keep-ours')}.`,
  ]
}
