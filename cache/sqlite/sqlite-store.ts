import { join } from 'node:path'
import type { Json } from '../../base/canonical-json.js'
import type { BatchStore } from '../batches.js'
import type { FileDigest, ResponseKey, RunKey } from '../digest.js'
import type {
  ExportedRun,
  ImportOutcome,
  OnConflict,
  PortableRun,
  PortableStore,
  RunTables,
} from '../bundle/portable.js'
import { FileMediaStore } from '../media/file-media-store.js'
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
} from '../records.js'
import type {
  DraftDoc,
  DraftScore,
  FailedItem,
  Holder,
  InputProgress,
  JudgeBatch,
  JudgeCursor,
  KnownRequest,
  Lease,
  LeaseQuery,
  LeaseResult,
  MediaStore,
  MissReport,
  NamedPreimage,
  OfTask,
  PlacedScore,
  RunCounts,
  Sample,
  Store,
  StoreStats,
  VerifyReport,
  StoredAnswer,
} from '../store.js'
import { writePresenceFile } from './connection/presence-files.js'
import { answerMetas, metFailures } from './work/answer-metas.js'
import { answerOf } from './work/answer-of.js'
import { sqliteBatches } from './work/batches.js'
import { keepAnswer } from './work/keep-answer.js'
import type { Context } from './connection/context.js'
import { storeError, type OpenedDatabase } from './connection/database.js'
import { commitDocs, inputProgress } from './work/docs.js'
import { exportRun, runTables } from './transfer/export-run.js'
import { changedFiles, fileDigest, knownFileDigest } from './work/file-memo.js'
import { importRun } from './transfer/import-run.js'
import { docsToJudge } from './judging/judge-feed.js'
import * as judging from './judging/judgements.js'
import { knownRequests } from './work/known-requests.js'
import * as leasing from './work/leases.js'
import type { LogSync } from './connection/log-sync.js'
import { getValue, setValue } from './work/key-values.js'
import { failWaiting, reopenOverBudget } from './work/over-budget.js'
import * as runs from './work/runs.js'
import { samples } from './judging/samples.js'
import { commitScores, scores } from './judging/scores.js'
import { storeStats, verifyStore } from './repair/verify-store.js'
import { whyMiss } from './judging/why-miss.js'

/** How often a process says that it lives: what it holds is taken over when it was silent for a minute. */
const heartbeatMs = 15_000

/** The store on one machine: a SQLite database, media files, and folders of sealed runs. */
export class SqliteStore implements Store, PortableStore {
  readonly dir: string
  readonly media: MediaStore
  readonly batches: BatchStore
  readonly #opened: OpenedDatabase
  readonly #log: LogSync
  readonly #context: Context
  readonly #heartbeat: NodeJS.Timeout | undefined

  /** Of a database that is open: see `openSqliteStore`. */
  constructor(dir: string, files: { readonly opened: OpenedDatabase; readonly log: LogSync }, context: Context) {
    this.dir = dir
    this.#opened = files.opened
    this.#log = files.log
    this.#context = context
    this.media = new FileMediaStore(
      join(dir, 'media'),
      (path, content) => fileDigest(this.#context, path, content),
      error => storeError(dir, error),
    )
    this.batches = sqliteBatches(context)
    if (!this.readOnly) {
      this.#heartbeat = setInterval(() => void this.#beat(), heartbeatMs)
      this.#heartbeat.unref()
    }
  }

  get readOnly(): boolean {
    return this.#opened.readOnly
  }

  fileDigest(path: string): Promise<FileDigest> {
    return fileDigest(this.#context, path)
  }

  knownFileDigest(path: string): Promise<FileDigest | undefined> {
    return knownFileDigest(this.#context, path)
  }

  createRun(
    asked: RunSpec,
    provenance: RunProvenance,
    preimages: readonly NamedPreimage[],
  ): Promise<{ run: Run; isNew: boolean }> {
    return runs.createRun(this.#context, { asked, provenance, preimages })
  }

  findRun(id: RunKey): Promise<Run | undefined> {
    return this.#read(() => runs.findRun(this.#context, id))
  }

  listRuns(): Promise<readonly Run[]> {
    return this.#read(() => runs.listRuns(this.#context))
  }

  removeRun(run: Run): Promise<void> {
    return runs.removeRun(this.#context, run)
  }

  touchRun(run: Run): Promise<void> {
    return runs.touchRun(this.#context, run)
  }

  counts(run: Run): Promise<RunCounts> {
    return this.#read(() => runs.counts(this.#context, run))
  }

  changedFiles(run: Run): ReturnType<Store['changedFiles']> {
    return changedFiles(this.#context, run.ref)
  }

  inputProgress(run: Run, task: number): Promise<InputProgress> {
    return this.#read(() => inputProgress(this.#context, run, task))
  }

  leaseInput(run: Run, task: number): Promise<true | Holder> {
    return leasing.leaseInput(this.#context, run, task)
  }

  commitDocs(run: Run, task: number, docs: readonly DraftDoc[], finished: boolean): Promise<void> {
    return commitDocs(this.#context, { run, task, docs, finished })
  }

  recommitDocs(run: Run, task: number, docs: readonly DraftDoc[]): Promise<void> {
    return commitDocs(this.#context, { run, task, docs, finished: false, isAgain: true })
  }

  lease(run: Run, query: LeaseQuery): Promise<LeaseResult> {
    return leasing.lease(this.#context, run, query)
  }

  holds(lease: Lease): boolean {
    return leasing.holds(this.#context, lease)
  }

  commitResponse(lease: Lease, body: ResponseBody, meta: ResponseMeta, kept?: () => void): Promise<boolean> {
    return leasing.commitResponse(this.#context, lease, { body, meta, kept })
  }

  commitFailure(lease: Lease, failure: Failure): Promise<void> {
    return leasing.commitFailure(this.#context, lease, failure)
  }

  release(leases: readonly Lease[]): Promise<void> {
    return leasing.release(this.#context, leases)
  }

  failWaiting(run: Run, failure: Failure): Promise<number> {
    return failWaiting(this.#context, run, failure)
  }

  reopenOverBudget(run: Run): Promise<void> {
    return reopenOverBudget(this.#context, run)
  }

  failures(run: Run): Promise<readonly FailedItem[]> {
    return this.#read(() => runs.failures(this.#context, run))
  }

  known(keys: readonly ResponseKey[]): Promise<readonly (KnownRequest | undefined)[]> {
    return this.#read(() => knownRequests(this.#context, keys))
  }

  answerMetas(run: Run): AsyncIterable<readonly OfTask<ResponseMeta>[]> {
    return answerMetas(this.#context, run)
  }

  metFailures(run: Run): Promise<readonly OfTask<Failure>[]> {
    return this.#read(() => metFailures(this.#context, run))
  }

  nextSample(): Promise<number> {
    return this.#read(() => runs.nextSample(this.#context))
  }

  isWorkedOnElsewhere(run: Run): Promise<boolean> {
    return this.#read(() => leasing.isWorkedOnElsewhere(this.#context, run))
  }

  dataVersion(): number {
    return Number(this.#context.db.pragma('data_version', { simple: true }))
  }

  openJudgement(run: Run, tasks: readonly TaskJudging[]): Promise<Judgement> {
    return judging.openJudgement(this.#context, run, tasks)
  }

  listJudgements(run: Run): Promise<readonly Judgement[]> {
    return this.#read(() => judging.listJudgements(this.#context, run))
  }

  reviseRecords(
    judgement: Judgement,
    task: number,
    records: readonly { index: number; record: JudgeRecord }[],
  ): Promise<void> {
    return judging.reviseRecords(this.#context, judgement, task, records)
  }

  docsToJudge(judgement: Judgement, cursor: JudgeCursor, limit: number): Promise<JudgeBatch> {
    return docsToJudge(this.#context, judgement, cursor, limit)
  }

  commitScores(judgement: Judgement, scores: readonly DraftScore[]): Promise<void> {
    return commitScores(this.#context, judgement, scores)
  }

  scores(judgement: Judgement, before?: Judgement): AsyncIterable<PlacedScore> {
    return scores(this.#context, judgement, before)
  }

  outcomes(judgement: Judgement): Promise<Readonly<Partial<Record<ScoreBody['outcome'], number>>>> {
    return this.#read(() => judging.outcomes(this.#context, judgement))
  }

  closeJudgement(judgement: Judgement, aggregates: readonly Aggregate[]): Promise<Judgement> {
    return judging.closeJudgement(this.#context, judgement, aggregates)
  }

  samples(run: Run, judgement?: Judgement): AsyncIterable<Sample> {
    return samples(this.#context, run, judgement)
  }

  answerOf(key: ResponseKey): ReturnType<Store['answerOf']> {
    return this.#read(() => answerOf(this.#context, key))
  }

  keepAnswer(run: Run, doc: DraftDoc, answer: StoredAnswer): Promise<StoredAnswer> {
    return keepAnswer(this.#context, { run, doc, answer })
  }

  whyMiss(a: Run, b: Run): Promise<MissReport> {
    return whyMiss(this.#context, a, b)
  }

  stats(): Promise<StoreStats> {
    return storeStats(this.#context, this.dir)
  }

  async verify(options: { readonly repair: boolean }): Promise<VerifyReport> {
    try {
      return await verifyStore(this.#context, this.dir, options)
    } catch (error) {
      throw storeError(this.dir, error)
    }
  }

  getValue(name: string): Promise<Json | undefined> {
    return this.#read(() => getValue(this.#context, name))
  }

  setValue(name: string, value: Json | undefined): Promise<void> {
    return setValue(this.#context, name, value)
  }

  exportRun(run: Run): Promise<ExportedRun> {
    return this.#read(() => exportRun(this.#context, run))
  }

  runTables(run: Run): Promise<RunTables> {
    return this.#read(() => runTables(this.#context, run))
  }

  async importRun(run: PortableRun, onConflict: OnConflict): Promise<ImportOutcome> {
    try {
      return await importRun(this.#context, run, onConflict)
    } catch (error) {
      throw storeError(this.dir, error)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat)
    await this.#context.commit.flush()
    // A disk that is full now must not hide what went wrong before; the leases end with the process anyway.
    if (!this.readOnly) await this.#context.commit.add(() => this.#context.owners.leave()).catch(() => undefined)
    await this.#log.close()
    const takeBack = this.readOnly ? undefined : writePresenceFile(this.dir, this.#context.self, this.#context.now())
    this.#opened.db.close()
    takeBack?.()
    this.#opened.dispose()
  }

  /** Reads are synchronous; their errors must come as rejections all the same. */
  #read<T>(read: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      try {
        resolve(read())
      } catch (error) {
        reject(storeError(this.dir, error))
      }
    })
  }

  /** A missed heartbeat is made up for by the next. */
  async #beat(): Promise<void> {
    await this.#context.commit.add(() => this.#context.owners.beat()).catch(() => undefined)
  }
}
