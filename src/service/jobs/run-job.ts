/** Runs one job in this process: from its stored request to its outcome. */
import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import { visibleText } from '../../../base/text/visible-text.js'
import type { PortableStore } from '../../../cache/bundle/portable.js'
import { explainedError } from '../../../cache/open.js'
import type { JsonObject } from '../../../cache/records.js'
import { isSettled } from '../../../cache/run-state.js'
import type { JobLease, JobOutcome, Store } from '../../../cache/store.js'
import { storedStop } from '../../cost/spending.js'
import { evaluateIn } from '../../evaluation/evaluate.js'
import type { EvalOutcome, EvalSettings, Hooks } from '../../evaluation/settings.js'
import { plain } from '../../report/layout/paint.js'
import { incompleteReasons } from '../../report/results/incomplete-run.js'
import { resultsJson } from '../../report/results/results-json.js'
import { JobProgress } from './job-progress.js'
import { checkJob } from '../policy/check-job.js'
import type { JobPolicy } from '../policy/job-policy.js'
import { jobSettings } from '../policy/job-settings.js'

/** Holds what a worker gives to each job. */
export interface JobSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folders of tasks and plugins that all jobs have. */
  readonly includePaths: readonly string[]
  readonly plugins: readonly string[]
  /** What jobs may name. The server checked it by its own policy; a worker may have another one. */
  readonly policy: JobPolicy
  /** The worker shuts down: the job goes back to the queue with what is answered. */
  readonly shutdown: AbortSignal
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** The interval in which a worker stores progress and looks for a cancellation, in milliseconds. */
const lookMs = 250
/** The time for which a cancelled job waits for requests in flight before it gives them up, in milliseconds. */
const drainMs = 30_000

/**
 * Runs a job to its end, and stores the end.
 *
 * @returns `lost` where another worker took the job over: then nothing more was written
 */
export async function runJob(
  store: Store & PortableStore,
  lease: JobLease,
  given: JobSurroundings,
): Promise<'ended' | 'requeued' | 'lost'> {
  const drain = new AbortController()
  const stop = new AbortController()
  const progress = new JobProgress(given.now)
  const follow = new Following(store, lease, { progress, drain, stop, shutdown: given.shutdown })
  const hooks: Hooks = {
    emit: event => {
      progress.take(event)
    },
    drain: drain.signal,
    stop: stop.signal,
    onRun: (run, _isNew, counts) => {
      follow.tell(progress.start(run, counts), run.id)
    },
  }
  const outcome = await outcomeOf(store, lease, given, hooks)
  await follow.end()
  if (follow.isLost) return 'lost'
  if (given.shutdown.aborted && !follow.isCancelled && outcome.isInterrupted)
    return (await store.jobs.release(lease)) ? 'requeued' : 'lost'
  const final: JobOutcome =
    follow.isCancelled && outcome.isInterrupted ? { status: 'cancelled', ...resultOf(outcome.job) } : outcome.job
  return (await store.jobs.finish(lease, final)) ? 'ended' : 'lost'
}

const resultOf = (job: JobOutcome): { readonly result?: JsonObject } =>
  job.result === undefined ? {} : { result: job.result }

async function outcomeOf(
  store: Store & PortableStore,
  { job }: JobLease,
  given: JobSurroundings,
  hooks: Hooks,
): Promise<{ readonly job: JobOutcome; readonly isInterrupted: boolean }> {
  const isInterrupted = (): boolean => hooks.drain.aborted
  try {
    const settings = await settingsOf(job.request, given, store.dir)
    const stages = { input: true, model: true, judge: job.request['predict_only'] !== true }
    const outcome = await evaluateIn(store, settings, { hooks, stages })
    const isFinished = isSettled(outcome.counts) && (!stages.judge || outcome.judgement?.finishedAt !== undefined)
    return { job: ended(outcome), isInterrupted: isInterrupted() && !isFinished }
  } catch (error) {
    if (isInterrupted() && !(error instanceof PipelineError))
      return { job: { status: 'cancelled' }, isInterrupted: true }
    return { job: { status: 'failed', error: await errorText(store.dir, error) }, isInterrupted: false }
  }
}

async function settingsOf(
  request: JsonObject,
  { env, policy, includePaths, plugins }: JobSurroundings,
  store: string,
): Promise<EvalSettings> {
  const checked = await checkJob(request, policy, { cwd: process.cwd(), env })
  if (!checked.isAllowed) throw new PipelineError('usage', checked.problems)
  const own = jobSettings(checked.request, policy, { env })
  return {
    ...own,
    store,
    includePaths: [...includePaths, ...own.includePaths],
    plugins: [...plugins, ...own.plugins],
  }
}

/** A job that was not asked and scored completely has failed, with what there is of its result. */
function ended(outcome: EvalOutcome): JobOutcome {
  const { run, counts, failures, judgement, figures, unjudged, stopped, batches } = outcome
  const { elapsedMs, asked, unanswered, fromStore } = outcome
  const session = {
    elapsedMs,
    asked,
    fromStore,
    ...(unanswered !== undefined && { unanswered }),
    ...(stopped && { stopped }),
  }
  const results = resultsJson({
    run,
    counts,
    failures: failures.slice(0, mostFailures),
    ...(judgement && { judgement }),
    ...(figures && { figures }),
    session,
  })
  // The results of a run are an object.
  const result = results as JsonObject
  const missing = incompleteReasons(
    run.name,
    { counts, failures, stopped: stopped && storedStop(stopped), batches },
    plain,
  )
  if (missing.length > 0) return { status: 'failed', error: [...missing, again].join('\n'), result }
  if (unjudged > 0)
    return { status: 'failed', error: `the judge could not score ${unjudged} docs of run ${run.name}`, result }
  return { status: 'completed', result }
}

const again = 'Answers are kept: submit the same request again to do what is left.'

/** A job's result names so many failures; all of them are with the run. */
const mostFailures = 100

async function errorText(dir: string, thrown: unknown): Promise<string> {
  const error = await explainedError(dir, thrown)
  const text =
    error instanceof PipelineError ? error.problems.slice(0, 20).join('\n') : `internal error: ${messageOf(error)}`
  return visibleText(text)
}

interface FollowedParts {
  readonly progress: JobProgress
  readonly drain: AbortController
  readonly stop: AbortController
  readonly shutdown: AbortSignal
}

/** Stores what a job reports while it runs, and listens for its cancellation. */
class Following {
  readonly #store: Store
  readonly #lease: JobLease
  readonly #parts: FollowedParts
  readonly #timer: NodeJS.Timeout
  #writing: Promise<void> = Promise.resolve()
  #drainingSince: number | undefined
  #version = -1
  isLost = false
  isCancelled = false

  constructor(store: Store, lease: JobLease, parts: FollowedParts) {
    this.#store = store
    this.#lease = lease
    this.#parts = parts
    this.#timer = setInterval(() => {
      this.#look()
    }, lookMs)
    parts.shutdown.addEventListener('abort', this.#drain, { once: true })
    if (parts.shutdown.aborted) this.#drain()
  }

  /** Stores an event that names the run. */
  tell(event: { readonly type: string; readonly data: JsonObject }, run: string): void {
    this.#write(() => this.#store.jobs.append(this.#lease, [event], { run }))
  }

  /** Stores what was not stored yet, and stops. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    this.#parts.shutdown.removeEventListener('abort', this.#drain)
    this.#storeDue(true)
    await this.#writing
    // A cancellation that came with the last answer still counts.
    await this.#checkCancelled()
  }

  readonly #drain = (): void => {
    this.#drainingSince ??= performance.now()
    this.#parts.drain.abort()
  }

  #look(): void {
    this.#storeDue(false)
    this.#write(async () => {
      await this.#checkCancelled()
      return true
    })
    if (this.#drainingSince !== undefined && performance.now() - this.#drainingSince > drainMs) this.#parts.stop.abort()
  }

  #storeDue(isLast: boolean): void {
    const { events, isProgress } = this.#parts.progress.due(isLast)
    if (events.length > 0) this.#write(() => this.#store.jobs.append(this.#lease, events, { progress: isProgress }))
  }

  /** Another process cancels; its commit changes the version of the data. */
  async #checkCancelled(): Promise<void> {
    const version = this.#store.dataVersion()
    if (version === this.#version) return
    this.#version = version
    const job = await this.#store.jobs.find(this.#lease.job.id)
    if (job?.isCancelling !== true || this.isCancelled) return
    this.isCancelled = true
    this.#drain()
  }

  /** One write after the other. A lease that is lost ends the work: another worker does it. */
  #write(work: () => Promise<boolean>): void {
    this.#writing = this.#writing.then(async () => {
      if (this.isLost) return
      const isHeld = await work().catch(() => true)
      if (isHeld) return
      this.isLost = true
      this.#parts.stop.abort()
      this.#drain()
    })
  }
}
