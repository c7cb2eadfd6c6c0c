import { join } from 'node:path'
import type { BatchStore } from '../batches.js'
import type {
  ExportedRun,
  ImportOutcome,
  OnConflict,
  PortableRun,
  PortableStore,
  RunTables,
} from '../bundle/portable.js'
import { FileMediaStore } from '../media/file-media-store.js'
import type { Run } from '../records.js'
import type { Context, Read } from './connection/context.js'
import type { OpenedDatabase } from './connection/database.js'
import { storeError } from './connection/store-error.js'
import type { LogSync } from './connection/log-sync.js'
import { writePresenceFile } from './connection/presence-files.js'
import { collectGarbage } from './garbage/collect-garbage.js'
import { openFolderIndex, type OpenSampleIndex } from './index/open-sample-index.js'
import { sqliteJudgements } from './judging/judgements.js'
import { sqliteLabels } from './labels/labels.js'
import { freeBytes, storeStats, verifyStore } from './repair/verify-store.js'
import { requeueOwnJobs } from './service/job-queue.js'
import { sqliteJobs } from './service/jobs.js'
import { sqliteTokens } from './service/tokens.js'
import { exportRun, runTables } from './transfer/export-run.js'
import { importRun } from './transfer/import-run.js'
import { sqliteBatches } from './work/batches.js'
import { sqliteDocs } from './work/docs.js'
import { changedFiles, fileDigest, knownFileDigest } from './work/file-memo.js'
import { sqliteRequests } from './work/requests.js'
import { sqliteRuns } from './work/runs.js'
import { sqliteValues } from './work/values.js'
import type {
  DocStore,
  FileStore,
  JobStore,
  JudgementStore,
  LabelStore,
  MediaStore,
  RequestStore,
  RunStore,
  Store,
  StoreUpkeep,
  TokenStore,
  ValueStore,
} from '../store.js'

/** The interval of heartbeats. A process that is silent for a minute loses its leases. */
const heartbeatMs = 15_000

/** The store on one machine: a SQLite database, media files, and folders of sealed runs. */
export class SqliteStore implements Store, PortableStore {
  readonly location: string
  readonly workFolder: string
  readonly runs: RunStore
  readonly docs: DocStore
  readonly requests: RequestStore
  readonly judgements: JudgementStore
  readonly samples: OpenSampleIndex
  readonly media: MediaStore
  readonly files: FileStore
  readonly batches: BatchStore
  readonly values: ValueStore
  readonly labels: LabelStore
  readonly jobs: JobStore
  readonly tokens: TokenStore
  readonly upkeep: StoreUpkeep
  readonly #dir: string
  readonly #opened: OpenedDatabase
  readonly #log: LogSync
  readonly #context: Context
  readonly #heartbeat: NodeJS.Timeout | undefined

  /** Wraps an open database. Call `openSqliteStore` instead. */
  constructor(dir: string, files: { readonly opened: OpenedDatabase; readonly log: LogSync }, context: Context) {
    this.#dir = dir
    this.location = dir
    this.workFolder = dir
    this.#opened = files.opened
    this.#log = files.log
    this.#context = context
    const read: Read = work => this.#read(work)
    this.runs = sqliteRuns(context, read)
    this.docs = sqliteDocs(context, read)
    this.requests = sqliteRequests(context, read)
    this.judgements = sqliteJudgements(context, read)
    const media = new FileMediaStore(
      join(dir, 'media'),
      (path, content) => fileDigest(context, path, content),
      error => storeError(dir, error),
    )
    this.media = media
    this.files = {
      digest: path => fileDigest(context, path),
      knownDigest: path => knownFileDigest(context, path),
      changed: run => changedFiles(context, run.ref),
    }
    this.batches = sqliteBatches(context)
    this.values = sqliteValues(context, read)
    this.labels = sqliteLabels(context, read)
    this.samples = openFolderIndex({ dir, readOnly: this.readOnly, labels: this.labels })
    this.jobs = sqliteJobs(context, read)
    this.tokens = sqliteTokens(context, read)
    this.upkeep = {
      stats: () => storeStats(context, dir),
      freeBytes: () => freeBytes(dir),
      verify: options => this.#named(verifyStore(context, dir, options)),
      collectGarbage: query => this.#named(collectGarbage(context, media, query)),
    }
    if (!this.readOnly) {
      this.#heartbeat = setInterval(() => void this.#beat(), heartbeatMs)
      this.#heartbeat.unref()
    }
  }

  get readOnly(): boolean {
    return this.#opened.readOnly
  }

  dataVersion(): Promise<number> {
    return this.#read(() => Number(this.#context.db.pragma('data_version', { simple: true })))
  }

  async probe(): Promise<void> {
    if (!this.readOnly) await this.#context.commit.add(() => this.#context.owners.beat())
  }

  exportRun(run: Run): Promise<ExportedRun> {
    return this.#read(() => exportRun(this.#context, run))
  }

  runTables(run: Run): Promise<RunTables> {
    return this.#read(() => runTables(this.#context, run))
  }

  importRun(run: PortableRun, onConflict: OnConflict): Promise<ImportOutcome> {
    return this.#named(importRun(this.#context, run, onConflict))
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat)
    await this.samples.close()
    await this.#context.commit.flush()
    this.#context.answers.spill.close()
    // A failure here, such as a full disk, must not hide an earlier error. The leases end with the process anyway.
    if (!this.readOnly) await this.#context.commit.add(() => this.#leave()).catch(() => undefined)
    await this.#log.close()
    const takeBack = this.readOnly ? undefined : writePresenceFile(this.#dir, this.#context.self, this.#context.now())
    this.#opened.db.close()
    takeBack?.()
    this.#opened.dispose()
  }

  /** Turns errors of synchronous reads into rejections. */
  #read<T>(read: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      try {
        resolve(read())
      } catch (error) {
        reject(storeError(this.#dir, error))
      }
    })
  }

  /** Adds the store's path to errors of SQLite. */
  async #named<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      throw storeError(this.#dir, error)
    }
  }

  #leave(): void {
    requeueOwnJobs(this.#context)
    this.#context.owners.leave()
  }

  /** A missed heartbeat does no harm, because the next one follows soon. */
  async #beat(): Promise<void> {
    await this.probe().catch(() => undefined)
  }
}
