/** The one place where the stages meet. `openStore` in `cache/open.ts` gives an implementation. */
import type { Json } from '../base/canonical-json.js'
import type { BatchStore } from './batches.js'
import type { FileDigest, MediaDigest, ResponseKey, RunKey, Sha256 } from './digest.js'
import type {
  Aggregate,
  AnsweredDoc,
  Asked,
  Failure,
  FailureClass,
  GenerationKwargs,
  Input,
  Judgement,
  JudgeRecord,
  ResponseBody,
  ResponseMeta,
  Run,
  RunProvenance,
  ScoreBody,
  TaskJudging,
} from './records.js'

/** One doc as the input stage leaves it. */
export interface DraftDoc {
  readonly index: number
  readonly id: string
  readonly record: JudgeRecord
  /** In the order of choice, then sample. */
  readonly requests: readonly DraftRequest[]
  /** Files that its media were read from: an edit of one of them makes the run another one. */
  readonly files?: readonly SourceFile[]
}

/** A file as it was when a run was made from it. */
export interface SourceFile {
  /** Absolute. */
  readonly path: string
  /** The same bytes have the same SHA-256, as a file or as a medium. */
  readonly digest: MediaDigest
}

/** A request, or why none could be made of the doc (a broken medium). */
export type DraftRequest =
  | { readonly choice: number; readonly sample: number; readonly input: Input; readonly generation: GenerationKwargs }
  | { readonly choice: number; readonly sample: number; readonly failure: Failure }

/** How far the input stage came with one task. */
export interface InputProgress {
  /** Docs committed, which is the index of the next one. */
  readonly docs: number
  readonly finished: boolean
}

/** An answer with what is kept beside it. */
export interface StoredAnswer {
  readonly body: ResponseBody
  readonly meta: ResponseMeta
}

/** The right to ask one request, for as long as this process lives. */
export interface Lease {
  /** The store's own number of the request. */
  readonly request: number
  /** Grows with every lease given; an older one can no longer change anything but add an answer that is still missing. */
  readonly token: number
  readonly key: ResponseKey
  readonly input: Input
  readonly generation: GenerationKwargs
  readonly sample: number
  /** The batch that holds it in place of a token, where it was handed in to a provider. */
  readonly batch?: number
  /** One of the docs that ask this, for messages. */
  readonly item: { readonly run: number; readonly id: number; readonly task: string; readonly doc: string }
}

export interface LeaseQuery {
  /** Items up to this number were looked at already; 0 at the start. */
  readonly after: number
  readonly limit: number
  /** Also what failed in a permanent class before. */
  readonly retryFailed: boolean
}

export interface LeaseResult {
  readonly leases: readonly Lease[]
  /** Pass it as `after` next time. */
  readonly next: number
  /** Whether the end of the run's present items was reached. */
  readonly exhausted: boolean
  /** Items seen that another process is working on. Look again later. */
  readonly elsewhere: number
}

/** What became of a request so far. */
export type KnownRequest =
  | { readonly type: 'answered'; readonly meta: ResponseMeta }
  /** For good: nobody asks it again unless told to. */
  | { readonly type: 'failed' }

/** State of a run, derived from what is stored. */
export interface RunCounts {
  readonly docs: number
  /** In the order of the run's tasks. */
  readonly docsByTask: readonly number[]
  readonly items: number
  readonly answered: number
  /** Items whose latest attempt failed and that have no answer, by class. */
  readonly failed: Readonly<Partial<Record<FailureClass, number>>>
  /** Of those, what the next start asks again by itself. */
  readonly open: number
  /** Items with neither answer nor failure. */
  readonly pending: number
  readonly inputFinished: boolean
}

export interface FailedItem {
  readonly task: string
  readonly doc: string
  readonly index: number
  readonly choice: number
  readonly sample: number
  readonly failure: Failure
}

/** Where a judge stands in the stream of answers. */
export interface JudgeCursor {
  readonly item: number
  readonly response: number
}

export interface JudgeBatch {
  /** Docs all of whose requests are answered, without a score in this judgement. In run order on the first pass. */
  readonly docs: readonly AnsweredDoc[]
  /** Docs whose score was in the store already, with what became of them. */
  readonly reused: readonly ScoreBody['outcome'][]
  readonly next: JudgeCursor
  /** Nothing more is there at the moment. */
  readonly exhausted: boolean
}

export interface DraftScore {
  readonly doc: AnsweredDoc
  readonly body: ScoreBody
}

/** One doc of a run with all that became of it, for reports, comparison, sealing and dumps. */
export interface Sample {
  readonly task: number
  readonly index: number
  readonly id: string
  /** As asked: the record that the given judgement used, where it has one. */
  readonly record: JudgeRecord
  readonly items: readonly SampleItem[]
  readonly score?: ScoreBody
}

export interface SampleItem {
  readonly choice: number
  readonly sample: number
  /** Absent where no request could be made. */
  readonly request?: {
    readonly key: ResponseKey
    readonly input: Input
    readonly generation: GenerationKwargs
  }
  readonly response?: { readonly body: ResponseBody; readonly meta: ResponseMeta }
  readonly failure?: Failure
}

export interface MediumInfo {
  readonly digest: MediaDigest
  readonly bytes: number
  /** Whether it was not in the store before. */
  readonly isNew: boolean
}

/** The whole of a file, as it was read. */
export interface FileContent {
  readonly bytes: Uint8Array
  /** When the file had last been changed before it was read; nanoseconds since 1970. */
  readonly modified: bigint
}

/** Content-addressed files. A medium is durable when `add…` resolves. */
export interface MediaStore {
  addBytes(bytes: Uint8Array): Promise<MediumInfo>
  /**
   * Reads and hashes the file once, as long as its path, size and modification time stay the same.
   *
   * @param content where it was just read, so that it need not be read again
   */
  addFile(path: string, content?: FileContent): Promise<MediumInfo>
  /** The bytes, checked against the digest. @throws Error where the medium is missing or damaged. */
  read(digest: MediaDigest): Promise<Uint8Array>
  /**
   * Writes the medium of so many bytes in base64 into a buffer.
   *
   * @returns how many bytes were written; nothing where it is missing, damaged or of another size.
   */
  encode(digest: MediaDigest, bytes: number, into: Buffer): Promise<number | undefined>
  has(digest: MediaDigest): Promise<boolean>
  /** Where the file is, for people and other programs. */
  path(digest: MediaDigest): string
}

/** A process that works on a store; leases are its. */
export interface Owner {
  readonly host: string
  readonly bootId: string
  readonly pid: number
  /** As the system counts it, so that a reused pid is another owner. */
  readonly startTime: string
}

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

/** What a key stands for, to be found by it. */
export interface NamedPreimage {
  readonly kind: 'code' | 'config' | 'task' | 'judge-config'
  readonly key: Sha256<string>
  readonly preimage: string
}

/** What a judgement made of one doc. */
export interface PlacedScore {
  readonly task: number
  readonly index: number
  readonly body: ScoreBody
  /** What the judgement before made of it; the same object where it says the same. */
  readonly before?: ScoreBody
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
    asked: Asked,
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
  /** The right to read one task's docs for a run; undefined while another living process has it. */
  leaseInput(run: Run, task: number): Promise<boolean>
  /** Docs in ascending order of index, and whether they are the last. One transaction. */
  commitDocs(run: Run, task: number, docs: readonly DraftDoc[], finished: boolean): Promise<void>
  /** Docs that were committed before and of which no request could be made then: what can be made now takes the place. */
  recommitDocs(run: Run, task: number, docs: readonly DraftDoc[]): Promise<void>

  lease(run: Run, query: LeaseQuery): Promise<LeaseResult>
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
  recall(name: string): Promise<Json | undefined>
  /** Keeps what a later process should know and no result depends on: the pace that a server bears, what was handed in to it. Durable when it resolves; `undefined` forgets. */
  remember(name: string, value: Json | undefined): Promise<void>

  /** Waits for all that was handed in to be durable, gives leases back, closes. */
  close(): Promise<void>
}
