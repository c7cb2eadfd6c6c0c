import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import type { PortableStore } from '../../../cache/bundle/portable.js'
import type { Store } from '../../../cache/store.js'
import { isServerAddress } from '../../../base/text/server-address.js'
import { parseArguments } from '../../config/argument-string.js'
import { variable } from '../../config/variables.js'
import { describeWorker } from '../../reading/workers/awaited-worker.js'
import { jobPolicy, pythonSettings, type WorkerFlags } from '../settings.js'
import type { JobEnd } from './job-stages.js'
import {
  damagedJobText,
  leftJobText,
  work,
  type WorkerSettings,
  type WorkerSign,
  type WorkerState,
  type WorkerUsage,
} from './worker.js'

/** The parts of its process that a worker uses. */
export interface WorkerProcess {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stop: AbortSignal
  readonly tell: (line: string) => void
}

/** The interval of a worker's signs of life, in milliseconds. */
const signMs = 5000

/** Runs jobs until the process is stopped, or its server is gone. */
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
  const isNews = onceEach()
  const settings: WorkerSettings = {
    // Rows of datasets are not trusted with the server's network.
    env: { ...env, PIPELINE_MEDIA_HOSTS: variable(env, 'PIPELINE_MEDIA_HOSTS') ?? 'public' },
    includePaths: flags.includePath ?? [],
    plugins: flags.plugin ?? [],
    python: pythonSettings(flags),
    policy: jobPolicy(flags, env),
    modelArgs: parseArguments(flags.modelArgs ?? [], '--model-args'),
    ...(flags.stages !== undefined && { stages: flags.stages }),
    // A server's client waits for an answer, unless other machines share the store.
    leavesJobs: !isChild || isServerAddress(store.location),
    shutdown: AbortSignal.any([stop, gone.signal]),
    now: () => performance.now(),
    limits: { ...(flags.maxJobsPerModel !== undefined && { perGroup: flags.maxJobsPerModel }) },
    ...(flags.idle !== undefined && { idleMs: flags.idle * 1000 }),
    ...(flags.jobs !== undefined && { maxJobs: flags.jobs }),
    onState(state) {
      sendToServer(state)
      if (!isChild && state.state === 'busy') tell(`job ${state.job}`)
      if (!isChild && state.state === 'damaged') tell(damagedJobText(state.job))
      if (!isChild && state.state === 'left' && isNews(state.why)) tell(leftJobText(state.job, state.why))
    },
    onUsage(usage) {
      sendToServer({ state: 'usage', usage })
    },
    async onEnd(job, how) {
      if (!isChild) tell(await describeEnd(store, job, how))
    },
  }
  try {
    await work(store, settings)
  } finally {
    // An open channel would keep the process alive, also after an error. Its server would count it as able to work.
    if (process.connected) process.disconnect()
  }
}

/** Returns a function that is true for the first call with a text. */
function onceEach(): (text: string) => boolean {
  const texts = new Set<string>()
  return text => texts.size < texts.add(text).size
}

/** Describes how a job ended, for the log. A failed job's error is included. */
async function describeEnd({ jobs }: Store, id: string, how: JobEnd): Promise<string> {
  if (how === 'requeued') return `job ${id}: back in the queue`
  if (how === 'lost') return `job ${id}: another worker took it over`
  const job = await jobs.find(id)
  if (how === 'handed-on') return `job ${id}: waits for ${describeWorker(job?.nextStage ?? 'judge')}`
  return `job ${id}: ${job?.status ?? 'removed'}${job?.error === undefined ? '' : `\n${job.error}`}`
}

/**
 * Sends signs of life to the server of this process, if there is one. The server kills a worker that is stopped or hangs.
 *
 * @param file a file to touch at each sign, so that a scheduler can detect a hanging worker
 * @returns a function that ends the signs
 * @throws PipelineError (usage) if the file cannot be written
 */
export function giveSigns(file?: string): () => void {
  if (file !== undefined) touchFile(file)
  if (process.send === undefined && file === undefined) return () => undefined
  const timer = setInterval(() => {
    sendToServer({ state: 'alive' })
    // A full disk is reported where the work fails on it.
    if (file !== undefined) void writeFile(file, '').catch(() => undefined)
  }, signMs)
  timer.unref()
  return () => clearInterval(timer)
}

function touchFile(file: string): void {
  try {
    writeFileSync(file, '')
  } catch (error) {
    throw new PipelineError('usage', `--alive-file ${file}: ${messageOf(error)}`, { cause: error })
  }
}

function sendToServer(message: WorkerState | WorkerSign | WorkerUsage): void {
  if (process.connected) process.send?.(message)
}
