/** Makes a service without its HTTP or MCP interface: its jobs and workers. */
import { fileURLToPath } from 'node:url'
import type { PortableStore } from '../../cache/bundle/portable.js'
import type { Store } from '../../cache/store.js'
import { Catalogue } from './catalogue.js'
import { ChangeFeed } from './change-feed.js'
import { StoreProbe } from './health.js'
import { JobSeconds } from './jobs/job-seconds.js'
import { ModelUsage } from './jobs/model-usage.js'
import { WorkerPool } from './jobs/worker-pool.js'
import type { Service } from './service.js'
import { jobPolicy, serviceSettings, workerArgs, type ServeFlags } from './settings.js'
import { startWebhooks } from './webhooks.js'

/** The parts of its process that a service uses. */
export interface ServiceProcess {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Ends the service. */
  readonly stop: AbortSignal
  /** Writes a line of the log. */
  readonly tell: (line: string) => void
}

/** A service that is not listening yet. */
export interface ReadyService {
  readonly service: Service
  /** Starts workers for waiting jobs, and the delivery of webhooks. */
  start(): void
  /** Ends the workers. Running jobs go back into the queue. */
  close(): Promise<void>
}

/** The program that workers run. */
const program = fileURLToPath(new URL('../cli/bin.js', import.meta.url))

/** The interval at which the oldest ended jobs are removed, in milliseconds. */
const pruneMs = 60_000

/** @throws PipelineError (usage) if the flags contradict each other or name what does not exist */
export async function readyService(
  store: Store & PortableStore,
  flags: ServeFlags,
  { env, tell, hasSessions }: Pick<ServiceProcess, 'env' | 'tell'> & { readonly hasSessions?: boolean },
): Promise<ReadyService> {
  const settings = serviceSettings(flags, {
    hasTokens: (await store.tokens.list()).length > 0,
    ...(hasSessions !== undefined && { hasSessions }),
  })
  const jobSeconds = new JobSeconds()
  const modelUsage = new ModelUsage()
  const pool = new WorkerPool({
    program,
    args: workerArgs(flags, store.location),
    size: flags.maxJobs ?? 2,
    jobs: store.jobs,
    tell,
    onJobEnd: ms => {
      jobSeconds.add(ms)
    },
    onUsage: usage => {
      modelUsage.add(usage)
    },
  })
  const service: Service = {
    store,
    settings,
    changes: new ChangeFeed(store),
    catalogue: new Catalogue({ ...settings, workFolder: store.workFolder, env }),
    env,
    policy: jobPolicy(flags, env),
    onJob: () => {
      pool.look()
    },
    workers: () => pool.state,
    probe: new StoreProbe(store),
    jobSeconds,
    modelUsage,
    log: tell,
  }
  let prune: NodeJS.Timeout | undefined
  let endWebhooks: (() => Promise<void>) | undefined
  return {
    service,
    start() {
      pool.start()
      endWebhooks = startWebhooks(service)
      prune = setInterval(() => {
        store.jobs.prune(settings.keepJobs).catch((error: unknown) => {
          tell(`old jobs could not be removed: ${String(error)}`)
        })
      }, pruneMs)
    },
    async close() {
      clearInterval(prune)
      await Promise.all([pool.close(), endWebhooks?.()])
    },
  }
}

/** Resolves when the signal is aborted. */
export const awaitAbort = (signal: AbortSignal): Promise<void> =>
  new Promise(done => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
