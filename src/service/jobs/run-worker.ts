import type { PortableStore } from '../../../cache/bundle/portable.js'
import type { Store } from '../../../cache/store.js'
import { jobPolicy, type WorkerFlags } from '../settings.js'
import { damagedJobText, work } from './worker.js'

/** Holds what a worker needs of its process. */
export interface WorkerProcess {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stop: AbortSignal
  readonly tell: (line: string) => void
}

/** Does jobs until the process is told to stop, or the server that started it is gone. */
export async function runWorker(
  store: Store & PortableStore,
  flags: WorkerFlags,
  { env, stop, tell }: WorkerProcess,
): Promise<void> {
  const gone = new AbortController()
  const isChild = process.send !== undefined
  process.once('disconnect', () => {
    gone.abort()
  })
  // The server may have gone while this process was starting.
  if (isChild && !process.connected) gone.abort()
  await work(store, {
    // Rows of datasets are not trusted with the server's network.
    env: { PIPELINE_MEDIA_HOSTS: 'public', ...env },
    includePaths: flags.includePath ?? [],
    plugins: flags.plugin ?? [],
    policy: jobPolicy(flags, env),
    shutdown: AbortSignal.any([stop, gone.signal]),
    now: () => performance.now(),
    limits: { ...(flags.maxJobsPerModel !== undefined && { perGroup: flags.maxJobsPerModel }) },
    ...(flags.idle !== undefined && { idleMs: flags.idle * 1000 }),
    ...(flags.jobs !== undefined && { maxJobs: flags.jobs }),
    onState(state) {
      if (process.connected) process.send?.(state)
      if (!isChild && state.state === 'busy') tell(`job ${state.job}`)
      if (!isChild && state.state === 'damaged') tell(damagedJobText(state.job))
    },
    onEnd(job, how) {
      if (!isChild) tell(`job ${job}: ${how}`)
    },
  })
  // An open channel would keep the process alive.
  if (process.connected) process.disconnect()
}
