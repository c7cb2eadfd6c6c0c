/** Runs one job in this process, from its stored request to its outcome. */
import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import { visibleText } from '../../../base/text/visible-text.js'
import type { PortableStore } from '../../../cache/bundle/portable.js'
import { explainedError } from '../../../cache/open.js'
import type { RunKey } from '../../../cache/digest.js'
import type { JsonObject, Run } from '../../../cache/records.js'
import { isSealable, isSettled } from '../../../cache/facts/run-state.js'
import type { JobLease, JobOutcome, JobStage, Store } from '../../../cache/store.js'
import { makeResumeSetting } from '../../config/stored/stored-settings.js'
import { storedStop } from '../../cost/spending.js'
import type { AccessFailure } from '../../../stages/model/model.js'
import { reasonOfOutcome } from '../../evaluation/stopping/why-stopped.js'
import { evaluateIn } from '../../evaluation/evaluate.js'
import type { EvalOutcome, EvalSettings, Hooks, PythonSettings } from '../../config/settings.js'
import { stoppedSession, type StoppedSession } from '../../reading/runs/session-end.js'
import { plain } from '../../present/text/layout/paint.js'
import { incompleteReasons } from '../../present/text/results/incomplete-run.js'
import { resultsJson } from '../../present/json/results-json.js'
import { analysisSchema } from './analysis/analysis.js'
import { FollowedJob, JobProgress } from './job-progress.js'
import { planJobPart, type EndedJob } from './job-stages.js'
import { clientProblems } from '../client-wording.js'
import { runAnalysis } from './analysis/run-analysis.js'
import { runUsage, type RunUsage } from './model-usage.js'
import { workerSettings, type JobHolder } from '../policy/job-settings.js'

/** Options that a worker passes to each job. */
export interface JobSurroundings extends JobHolder {
  /** Folders of tasks and plugins for all jobs. */
  readonly includePaths: readonly string[]
  readonly plugins: readonly string[]
  /** The Python settings for code of tasks. Jobs cannot set them. */
  readonly python?: PythonSettings
  /** The stages that the worker runs. @default all */
  readonly stages?: readonly JobStage[]
  /** True to leave a job to other workers if a key, package or program is missing here. Otherwise the job fails. */
  readonly leavesJobs?: boolean
  /** Aborted when the worker shuts down. The job goes back into the queue, and its answers stay. */
  readonly shutdown: AbortSignal
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Called with the run's usage when a job has ended or was interrupted. */
  readonly onUsage?: (usage: RunUsage) => void
}

/**
 * Runs a job and stores its outcome. A worker that does not run all stages hands the job on.
 *
 * @returns how the work ended. `lost`: another worker took the job over, and nothing more was written
 * @throws PipelineError (store) if the store is not writable. The lease stays with this process. After its end, another worker continues the job.
 */
export async function runJob(
  store: Store & PortableStore,
  lease: JobLease,
  surroundings: JobSurroundings,
): Promise<EndedJob> {
  const drain = new AbortController()
  const stop = new AbortController()
  const progress = new JobProgress(surroundings.now)
  const follow = new FollowedJob(store, lease, { progress, drain, stop, shutdown: surroundings.shutdown })
  const hooks: Hooks = {
    emit: event => {
      progress.take(event)
    },
    drain: drain.signal,
    stop: stop.signal,
    rowFolders: surroundings.policy.allowDirs,
    onRun: (run, _isNew, counts) => {
      follow.tell(progress.start(run, counts), run.id)
    },
  }
  const outcome = await computeOutcome(store, lease, surroundings, hooks).finally(() => follow.end())
  if (follow.isLost) return { how: 'lost' }
  if (surroundings.shutdown.aborted && !follow.isCancelled && outcome.isInterrupted)
    return (await store.jobs.release(lease)) ? { how: 'requeued' } : { how: 'lost' }
  const { nextStage, lacking: why } = outcome
  if (why !== undefined && !outcome.isInterrupted)
    return (await store.jobs.release(lease, { why })) ? { how: 'left', why } : { how: 'lost' }
  if (nextStage !== undefined && !outcome.isInterrupted)
    return (await store.jobs.release(lease, { nextStage })) ? { how: 'handed-on' } : { how: 'lost' }
  const final: JobOutcome =
    follow.isCancelled && outcome.isInterrupted ? { status: 'cancelled', ...pickResult(outcome.job) } : outcome.job
  return (await store.jobs.finish(lease, final)) ? { how: 'ended' } : { how: 'lost' }
}

const pickResult = (job: JobOutcome): { readonly result?: JsonObject } =>
  job.result === undefined ? {} : { result: job.result }

interface ComputedOutcome {
  readonly job: JobOutcome
  readonly isInterrupted: boolean
  readonly nextStage?: JobStage
  /** The problem, if another worker may not have it. */
  readonly lacking?: string
}

async function computeOutcome(
  store: Store & PortableStore,
  { job }: JobLease,
  surroundings: JobSurroundings,
  hooks: Hooks,
): Promise<ComputedOutcome> {
  const isInterrupted = (): boolean => hooks.drain.aborted
  try {
    const analysis = analysisSchema.optional().parse(job.request['analysis'])
    if (analysis !== undefined) {
      const makeAnalysed = (run: string) => makeSettings({ ...job.request, resume: run }, surroundings, store)
      const result = await runAnalysis(store, analysis, { given: surroundings, hooks, makeSettings: makeAnalysed })
      return { job: { status: 'completed', result }, isInterrupted: isInterrupted() && analysis.kind === 'recheck' }
    }
    const settings = await makeSettings(job.request, surroundings, store)
    const { stages, ...part } = planJobPart(job, surroundings.stages)
    const outcome = await evaluateIn(store, settings, { hooks, stages })
    surroundings.onUsage?.(runUsage(outcome))
    const isFinished = isSettled(outcome.counts) && (!stages.judge || outcome.judgement?.finishedAt !== undefined)
    // A worker that only judges does not know why earlier requests stopped.
    const session = stages.model || isSealable(outcome.counts) ? undefined : await stoppedSession(store, outcome.run)
    // The requests that the server refused have failed, and the next worker sends them again.
    const isMissing = outcome.counts.pending + outcome.failures.length > 0
    const isLeft = surroundings.leavesJobs === true && isMissing && isRefusedHere(outcome.stopped?.access, surroundings)
    const why = isLeft ? reasonOfOutcome(outcome, { hooks, stages, hide: text => text })?.message : undefined
    return {
      ...{ job: makeJobOutcome(outcome, session), isInterrupted: isInterrupted() && !isFinished, ...part },
      ...(why !== undefined && { lacking: why }),
    }
  } catch (error) {
    if (isInterrupted() && !(error instanceof PipelineError))
      return { job: { status: 'cancelled' }, isInterrupted: true }
    const explained = await explainedError(store.location, error)
    if (isPassing(explained) && job.starts < mostStarts) throw explained
    const text = errorText(explained)
    const isLeft =
      surroundings.leavesJobs === true &&
      explained instanceof PipelineError &&
      (lacking.has(explained.reason) || (explained.code === 'engine' && hasOwnServer(surroundings)))
    return { job: { status: 'failed', error: text }, isInterrupted: false, ...(isLeft && { lacking: text }) }
  }
}

async function makeSettings(request: JsonObject, surroundings: JobSurroundings, store: Store): Promise<EvalSettings> {
  const { includePaths, plugins, python, modelArgs = {} } = surroundings
  const own = await workerSettings(request, surroundings)
  return {
    ...own,
    ...python,
    ...(typeof request['resume'] === 'string' && {
      resume: makeResumeSetting(await runToResume(store, request['resume'])),
    }),
    workerArgs: modelArgs,
    store: store.location,
    includePaths: [...includePaths, ...own.includePaths],
    plugins: [...plugins, ...own.plugins],
  }
}

async function runToResume({ runs }: Store, id: string): Promise<Run> {
  const run = await runs.find(id as RunKey)
  if (run === undefined) throw new PipelineError('usage', 'the run that this job continues was removed')
  return run
}

/**
 * Makes the outcome of a job. A job without all answers and scores has failed, and keeps its partial result.
 *
 * @param before the end of the last session that sent requests, if this one sent none
 */
function makeJobOutcome(outcome: EvalOutcome, before?: StoppedSession): JobOutcome {
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
    { counts, failures, stopped: stopped && storedStop(stopped), batches, session: before },
    plain,
  )
  if (missing.length > 0) return { status: 'failed', error: [...missing, again].join('\n'), result }
  if (unjudged > 0)
    return { status: 'failed', error: `the judge could not score ${unjudged} docs of run ${run.name}`, result }
  return { status: 'completed', result }
}

const again = 'Answers are kept: submit the same request again to finish the rest.'

/** The maximum number of failures in a job's result. The run has all of them. */
const mostFailures = 100

/** The number of starts without progress after which a full disk or a locked store fails the job. */
const mostStarts = 5

/** Errors that may be gone when the next worker opens the store. */
const passing: ReadonlySet<string | undefined> = new Set(['store-full', 'store-locked', 'store-unsynced'])

/** Errors that another worker, on another machine or with other flags, may not have. */
const lacking: ReadonlySet<string | undefined> = new Set(['lacking-here', 'model-changed', 'task-unknown'])

/** Tells whether another worker may be let in: one with another key, or beside another server. */
const isRefusedHere = (access: AccessFailure | undefined, surroundings: JobSurroundings): boolean =>
  access !== undefined && (access.about === 'key' || access.about === 'account' || hasOwnServer(surroundings))

/** Tells whether requests go to a server of the worker's machine, which other workers do not use. */
const hasOwnServer = ({ modelArgs = {} }: JobSurroundings): boolean => typeof modelArgs['base_url'] === 'string'

const isPassing = (error: unknown): boolean => error instanceof PipelineError && passing.has(error.reason)

function errorText(error: unknown): string {
  const text =
    error instanceof PipelineError
      ? clientProblems(error).slice(0, 20).join('\n')
      : `internal error: ${messageOf(error)}`
  return visibleText(text)
}
