/** The one place where the stages meet. `openStore` in `cache/open.ts` gives an implementation. */
import type { Json } from '../base/canonical-json.js'
import type { BatchStore } from './batches.js'
import type { FileDigest, MediaDigest, ResponseKey, RunKey, Sha256 } from './digest.js'
import type {
  Aggregate,
  RunSpec,
  Failure,
  Judgement,
  JudgeRecord,
  ResponseBody,
  ResponseMeta,
  Run,
  RunProvenance,
  ScoreBody,
  TaskJudging,
} from './records.js'
import type { DraftScore, JudgeBatch, JudgeCursor, PlacedScore } from './store/judging.js'
import type { MediaStore } from './store/media-store.js'
import type { MissReport, StoreStats, VerifyReport } from './store/reports.js'
import type { Sample } from './store/sample.js'
import type {
  DraftDoc,
  FailedItem,
  Holder,
  InputProgress,
  KnownRequest,
  Lease,
  LeaseQuery,
  LeaseResult,
  RunCounts,
  StoredAnswer,
} from './store/work.js'

export type * from './store/judging.js'
export type * from './store/media-store.js'
export type * from './store/reports.js'
export type * from './store/sample.js'
export type * from './store/work.js'

/** A process that works on a store; leases are its. */
export interface Owner {
  readonly host: string
  readonly bootId: string
  readonly pid: number
  /** As the system counts it, so that a reused pid is another owner. */
  readonly startTime: string
}

/** What a key stands for, to be found by it. */
export interface NamedPreimage {
  readonly kind: 'code' | 'config' | 'task' | 'judge-config'
  readonly key: Sha256<string>
  readonly preimage: string
}

/** Something of one task of a run. */
export interface OfTask<T> {
  /** Its place among the run's tasks. */
  readonly task: number
  readonly value: T
}

export interface Store {
  /** The folder: `media/`, `runs/<id>/`, the database. */
  readonly dir: string
  readonly readOnly: boolean
  readonly media: MediaStore
  /** Requests that are with a provider for hours: see {@link BatchStore}. */
  readonly batches: BatchStore

  /** The digest of a file, read again only when path, size or modification time changed. */
  fileDigest(path: string): Promise<FileDigest>
  /** The same where it was read before, `undefined` where it would have to be read. */
  knownFileDigest(path: string): Promise<FileDigest | undefined>

  /** The run for what is asked: found, or made. `preimages` explain the keys in `asked` and are stored beside it. */
  createRun(
    asked: RunSpec,
    provenance: RunProvenance,
    preimages: readonly NamedPreimage[],
  ): Promise<{ run: Run; isNew: boolean }>
  findRun(id: RunKey): Promise<Run | undefined>
  /** All runs, oldest first by the time when they were last started. */
  listRuns(): Promise<readonly Run[]>
  removeRun(run: Run): Promise<void>
  /** Marks a run as started now, which is what `last` means. */
  touchRun(run: Run): Promise<void>
  counts(run: Run): Promise<RunCounts>
  /** One above the highest sample index that anything was ever asked with: an index that no answer has yet. */
  nextSample(): Promise<number>

  /** Files that media of the run were read from and that are not what they were; the digest is missing where the file is. */
  changedFiles(run: Run): Promise<readonly { readonly path: string; readonly digest: MediaDigest | undefined }[]>
  inputProgress(run: Run, task: number): Promise<InputProgress>
  /** The right to read one task's docs for a run, or else who has it. */
  leaseInput(run: Run, task: number): Promise<true | Holder>
  /** Docs in ascending order of index, and whether they are the last. One transaction. */
  commitDocs(run: Run, task: number, docs: readonly DraftDoc[], finished: boolean): Promise<void>
  /** Docs that were committed before and of which no request could be made then: what can be made now takes the place. */
  recommitDocs(run: Run, task: number, docs: readonly DraftDoc[]): Promise<void>

  lease(run: Run, query: LeaseQuery): Promise<LeaseResult>
  /** Whether a lease is still held: a process that was not heard of for long has lost its leases to others. Cheap. */
  holds(lease: Lease): boolean
  /**
   * Resolves when the answer is durable. One transaction for all that wait.
   *
   * @param kept called before that, when the end of this process can't undo it any more, though a power cut still can
   * @returns whether it was the first for its key
   */
  commitResponse(lease: Lease, body: ResponseBody, meta: ResponseMeta, kept?: () => void): Promise<boolean>
  commitFailure(lease: Lease, failure: Failure): Promise<void>
  /** Gives leases back unused. */
  release(leases: readonly Lease[]): Promise<void>
  /** Fails whatever of a run is neither answered nor failed, apart from what others who live work on. @returns how many requests */
  failWaiting(run: Run, failure: Failure): Promise<number>
  /** Takes back all failures of class `budget` of a run: its requests wait again. */
  reopenOverBudget(run: Run): Promise<void>
  failures(run: Run): Promise<readonly FailedItem[]>
  /** What became of a request, whichever run asked it: its answer, or the failure that holds for good. */
  answerOf(key: ResponseKey): Promise<StoredAnswer | { readonly failure: Failure } | undefined>
  /**
   * Keeps what was asked for the sake of another request, with its answer, as an item of the run: both or neither.
   *
   * @param doc with one request
   * @returns the answer that holds: an earlier one under its key, if there is one
   */
  keepAnswer(run: Run, doc: DraftDoc, answer: StoredAnswer): Promise<StoredAnswer>
  /** What the store knows of requests, in the order of their keys: undefined of one that is neither answered nor failed for good. */
  known(keys: readonly ResponseKey[]): Promise<readonly (KnownRequest | undefined)[]>
  /** What is kept beside the answers to a run's requests, each request once, with the task that asked it first, a page at a time. */
  answerMetas(run: Run): AsyncIterable<readonly OfTask<ResponseMeta>[]>
  /** Every failure that requests of the run met when they were sent, oldest first, also of those that were answered since. */
  metFailures(run: Run): Promise<readonly OfTask<Failure>[]>
  /** Whether a living process other than this one reads docs or holds leases for the run. */
  isWorkedOnElsewhere(run: Run): Promise<boolean>
  /** Changes whenever another process commits. Cheap. */
  dataVersion(): number

  /** The judgement for these rules: the newest one if it has the same, else a new one. */
  openJudgement(run: Run, tasks: readonly TaskJudging[]): Promise<Judgement>
  /** Newest last. */
  listJudgements(run: Run): Promise<readonly Judgement[]>
  /** Gives docs another record in this judgement than the one the run was made with: their target was mended since. */
  reviseRecords(
    judgement: Judgement,
    task: number,
    records: readonly { index: number; record: JudgeRecord }[],
  ): Promise<void>
  docsToJudge(judgement: Judgement, cursor: JudgeCursor, limit: number): Promise<JudgeBatch>
  commitScores(judgement: Judgement, scores: readonly DraftScore[]): Promise<void>
  /** Scores in the order of task and doc index; with those of the same docs in a judgement before, if one is given. */
  scores(judgement: Judgement, before?: Judgement): AsyncIterable<PlacedScore>
  /** How many docs came to which outcome. */
  outcomes(judgement: Judgement): Promise<Readonly<Partial<Record<ScoreBody['outcome'], number>>>>
  closeJudgement(judgement: Judgement, aggregates: readonly Aggregate[]): Promise<Judgement>

  /** In the order of task and doc index; with the judgement's scores, if one is given. */
  samples(run: Run, judgement?: Judgement): AsyncIterable<Sample>

  /** In which fields the requests of two runs differ. */
  whyMiss(a: Run, b: Run): Promise<MissReport>
  stats(): Promise<StoreStats>
  /** Reads all that is stored and names what is damaged. With `repair`, that is dropped, to be computed again. */
  verify(options: { readonly repair: boolean }): Promise<VerifyReport>

  /** What was remembered under a name. */
  getValue(name: string): Promise<Json | undefined>
  /** Keeps what a later process should know and no result depends on: the pace that a server bears, what was handed in to it. Durable when it resolves; `undefined` forgets. */
  setValue(name: string, value: Json | undefined): Promise<void>

  /** Waits for all that was handed in to be durable, gives leases back, closes. */
  close(): Promise<void>
}
