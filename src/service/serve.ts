/** `pipeline serve`: an HTTP server, and the workers of its jobs. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PortableStore } from '../../cache/bundle/portable.js'
import type { Store } from '../../cache/store.js'
import { Catalogue } from './catalogue.js'
import { ChangeFeed } from './change-feed.js'
import { listen } from './http/listen.js'
import { WorkerPool } from './jobs/worker-pool.js'
import type { Service } from './service.js'
import { defaultPort, jobPolicy, loopback, serviceSettings, workerArgs, type ServeFlags } from './settings.js'

/** What a server needs of its process. */
export interface ServerProcess {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Ends the server. */
  readonly stop: AbortSignal
  readonly tell: (line: string) => void
  /** Says where the service is. */
  readonly announce: (lines: readonly string[]) => void
}

/** The file of the program, of which workers are started. */
const program = fileURLToPath(new URL('../cli/bin.js', import.meta.url))

/** How often ended jobs are counted and the oldest removed, in milliseconds. */
const pruneMs = 60_000

/** Serves until `stop`. Jobs that run then go back into the queue. */
export async function serve(
  store: Store & PortableStore,
  flags: ServeFlags,
  { env, stop, tell, announce }: ServerProcess,
): Promise<void> {
  const settings = serviceSettings(flags, (await store.tokens.list()).length > 0)
  const pool = new WorkerPool({
    program,
    args: workerArgs(flags, resolve(store.dir)),
    size: flags.maxJobs ?? 2,
    jobs: store.jobs,
    tell,
  })
  const service: Service = {
    store,
    settings,
    changes: new ChangeFeed(store),
    catalogue: new Catalogue({ ...settings, store: store.dir }),
    env,
    policy: jobPolicy(flags, env),
    onJob: () => {
      pool.look()
    },
    busy: () => pool.busy,
    log: tell,
  }
  const server = await listen(service, { host: flags.host ?? loopback, port: flags.port ?? defaultPort })
  pool.start()
  const prune = setInterval(() => {
    store.jobs.prune(settings.keepJobs).catch((error: unknown) => {
      tell(`old jobs could not be removed: ${String(error)}`)
    })
  }, pruneMs)
  announce([`service: http://${server.host}:${server.port}  ·  docs /docs  ·  OpenAPI /openapi.json`])
  try {
    await aborted(stop)
  } finally {
    clearInterval(prune)
    await Promise.all([server.close(), pool.close()])
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(done => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
