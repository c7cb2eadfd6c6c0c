import type { BatchStore } from '../batches.js'
import type {
  ExportedRun,
  ImportOutcome,
  OnConflict,
  PortableRun,
  PortableStore,
  RunTables,
} from '../bundle/portable.js'
import type { MediaLocation } from '../media/media-location.js'
import type { Run } from '../records.js'
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
  StoreStats,
  StoreUpkeep,
  TokenStore,
  ValueStore,
} from '../store.js'
import type { OpenSampleIndex } from '../sqlite/index/open-sample-index.js'
import type { ServerAddress } from './connection/address.js'
import { slowPollMs } from './connection/changes.js'
import type { Context } from './connection/context.js'
import { readFormat, refuseNewer } from './connection/migrate.js'
import type { Query } from './connection/query.js'
import { collectGarbage } from './garbage/collect-garbage.js'
import { openPostgresIndex } from './index/open-postgres-index.js'
import { postgresJudgements } from './judging/judgements.js'
import { postgresLabels } from './labels/labels.js'
import { verifyRowsAndMedia } from './repair/verify.js'
import { requeueOwnJobs } from './service/job-queue.js'
import { postgresJobs } from './service/jobs.js'
import { postgresTokens } from './service/tokens.js'
import { exportRun, runTables } from './transfer/export-run.js'
import { importRun } from './transfer/import-run.js'
import type { WaitingAnswers } from '../waiting-answers/waiting-answers.js'
import { postgresBatches } from './work/batches.js'
import { postgresDocs } from './work/docs.js'
import { changedFiles, fileDigest, knownFileDigest } from './work/file-memo.js'
import { postgresRequests } from './work/requests.js'
import { postgresRuns } from './work/runs.js'
import { postgresValues } from './work/values.js'

/** The interval of heartbeats. A process that is silent for a minute loses its leases. */
const heartbeatMs = 15_000

/** The locations of an open store. */
export interface OpenedServer {
  /** See `Store.location`. */
  readonly location: string
  /** The address with its secrets, for further connections. */
  readonly address: ServerAddress
  readonly workFolder: string
  readonly mediaLocation: MediaLocation
  readonly readOnly: boolean
  /** The answers that cannot be sent to the server yet. */
  readonly answers: WaitingAnswers
  /** The maximum bytes of unsent answers in memory. */
  readonly mostInMemory: number
}

/** The store of many machines: a PostgreSQL database, and a media location that all of them share. */
export class PostgresStore implements Store, PortableStore {
  readonly location: string
  readonly workFolder: string
  readonly readOnly: boolean
  readonly slowPollMs = slowPollMs
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
  readonly #context: Context
  readonly #mediaLocation: MediaLocation
  readonly #flush: () => Promise<void>
  readonly #heartbeat: NodeJS.Timeout | undefined

  /** Wraps an open database. Call `openPostgresStore` instead. */
  constructor(
    { location, address, workFolder, mediaLocation, readOnly, answers, mostInMemory }: OpenedServer,
    context: Context,
  ) {
    this.location = location
    this.workFolder = workFolder
    this.readOnly = readOnly
    this.#context = context
    const { requests, flush } = postgresRequests(context, { answers, mostInMemory })
    this.#flush = flush
    this.runs = postgresRuns(context)
    this.docs = postgresDocs(context)
    this.requests = requests
    this.judgements = postgresJudgements(context)
    this.media = mediaLocation.open((path, content) => fileDigest(context, path, content))
    this.#mediaLocation = mediaLocation
    this.files = {
      digest: path => fileDigest(context, path),
      knownDigest: path => knownFileDigest(context, path),
      changed: run => changedFiles(context, run.ref),
    }
    this.batches = postgresBatches(context)
    this.values = postgresValues(context)
    this.labels = postgresLabels(context)
    this.samples = openPostgresIndex({ db: context.db, address, workFolder, labels: this.labels })
    this.jobs = postgresJobs(context)
    this.tokens = postgresTokens(context)
    const { changes, db } = context
    changes.onDue(() => {
      // A failed notification does no harm, because other processes also poll.
      db.writeOnce(query => changes.announce(query)).catch(() => undefined)
    })
    this.upkeep = {
      stats: () => readStats(context, mediaLocation),
      freeBytes: () => Promise.resolve(undefined),
      verify: options => verifyRowsAndMedia(context, { location: mediaLocation, store: this.media }, options),
      collectGarbage: query => collectGarbage(context, this.media, query),
    }
    if (!readOnly) {
      let isBeating = false
      const beat = async () => {
        // While the server is away, each would keep a connection busy until its time limit.
        if (isBeating) return
        isBeating = true
        // A missed heartbeat does no harm, because the next one follows soon.
        await context.db.writeApart(query => beatOnce(context, query, address.schema)).catch(() => undefined)
        isBeating = false
      }
      this.#heartbeat = setInterval(() => void beat(), heartbeatMs)
      this.#heartbeat.unref()
    }
  }

  dataVersion(): Promise<number> {
    const { changes, db } = this.#context
    return changes.readVersion(db.isHearing, () =>
      db.read(async query => {
        const [row] = await query<{ version: number }>(
          `SELECT (SELECT sum(value) FROM counter)::bigint + (SELECT last_value FROM failure_id_seq) AS version`,
        )
        return row?.version ?? 0
      }),
    )
  }

  async probe(): Promise<void> {
    if (!this.readOnly) await this.#context.db.write(query => this.#context.owners.beat(query))
  }

  exportRun(run: Run): Promise<ExportedRun> {
    return exportRun(this.#context, run)
  }

  runTables(run: Run): Promise<RunTables> {
    return runTables(this.#context, run)
  }

  importRun(run: PortableRun, onConflict: OnConflict): Promise<ImportOutcome> {
    return importRun(this.#context, run, onConflict)
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat)
    this.#context.changes.close()
    await this.samples.close()
    await this.#flush()
    // A failure here must not hide an earlier error. The leases end with the process anyway.
    if (!this.readOnly) await this.#leave().catch(() => undefined)
    await this.#mediaLocation.close()
    await this.#context.db.close()
  }

  #leave(): Promise<void> {
    return this.#context.db.writeOnce(async query => {
      await requeueOwnJobs(this.#context, query)
      await this.#context.owners.leave(query)
    })
  }
}

/** Writes a heartbeat. A process of a newer version may have upgraded the store, and this one would write rows of the old format. */
async function beatOnce({ db, owners }: Context, query: Query, schema: string): Promise<void> {
  await owners.beat(query)
  const format = await readFormat(query, schema)
  try {
    refuseNewer(db.shown, format?.version ?? 0)
  } catch (error) {
    if (error instanceof Error) db.refuseWork(error)
  }
}

async function readStats({ db }: Context, mediaLocation: MediaLocation): Promise<StoreStats> {
  const counted = await db.read(async query => {
    const [row] = await query<Omit<StoreStats, 'media'>>(
      `SELECT (SELECT count(*) FROM run) AS runs, (SELECT count(*) FROM request) AS requests, (SELECT count(*) FROM response) AS responses,
         (SELECT count(*) FROM score) AS scores, (SELECT count(*) FROM failure) AS failures,
         (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
          WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r') AS "databaseBytes"`,
    )
    if (row === undefined) throw new Error('internal error: nothing was counted')
    return row
  })
  return { ...counted, media: await mediaLocation.countMedia() }
}
