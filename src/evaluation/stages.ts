import { join } from 'node:path'
import { option } from '../../base/errors/option-words.js'
import { emptyTable } from '../../base/values/named-values.js'
import { Wake } from '../../base/time/wake.js'
import { isPermanent, type Judgement, type Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { isSettled } from '../../cache/facts/run-state.js'
import { ingestTask, reingestDocs, type Selection } from '../../stages/input/ingest.js'
import type { Totals } from '../../stages/judge/aggregate.js'
import type { GroupSpec } from '../../stages/judge/group-aggregates.js'
import { judgeRun, type JudgeOutcome, type JudgeWork } from '../../stages/judge/judge.js'
import type { Scorer } from '../../stages/judge/scorer.js'
import { readLabels } from '../../stages/judge/score-marks.js'
import type { Gate } from '../../stages/model/budget/gate.js'
import { inferRun } from '../../stages/model/infer.js'
import type { InferOptions, InferOutcome } from '../../stages/model/infer-options.js'
import { batchesBy } from '../model/batches.js'
import { realClock } from '../clock.js'
import { readSelection } from '../config/values/selection.js'
import { conversing } from './conversations.js'
import type { Judges } from '../judging/judges.js'
import { judgementBefore } from '../judging/judging-changes.js'
import { inferenceBy, type ModelPlan } from '../model/model-plan.js'
import { failOverBudget } from '../cost/over-budget.js'
import { limitOvertime } from './overtime.js'
import { makeDraws } from './sampled-tasks.js'
import { makeDocOrder, withAnytimeIntervals } from './stopping/decide-by-scores.js'
import type { Plan } from './plan.js'
import type { EvalSettings, Hooks, Stages } from '../config/settings.js'
import type { Spending } from '../cost/spending.js'
import { countReaders, readTasks } from './task-readers.js'

export interface Work {
  readonly store: Store
  readonly run: Run
  readonly plan: Plan
  readonly settings: EvalSettings
  readonly hooks: Hooks
  readonly stages: Required<Stages>
  readonly spending: Spending
  /** Admits the model's requests within the budget. */
  readonly gate: Gate
  /** The open judgement; absent if the judge does not work. */
  readonly judgement?: Judgement
  /** Called when a stage ended with an error, before the others are aborted. */
  readonly onFailed?: (stage: keyof Stages) => void
}

export interface StageOutcomes {
  readonly infer?: InferOutcome
  readonly judge?: JudgeOutcome
}

/**
 * Runs the chosen stages at the same time; they share only the store. If one fails, the others are aborted, and its error is thrown when all
 * have ended.
 */
export async function runStages(work: Work): Promise<StageOutcomes> {
  const failed = new AbortController()
  const { drain, stop } = work.hooks
  const overtime = new AbortController()
  const stopSignal = AbortSignal.any([stop, failed.signal, overtime.signal])
  const signals = { drain: AbortSignal.any([drain, stopSignal]), stop: stopSignal }
  const docs = new Wake()
  const answers = new Wake()
  let inputEnded = !work.stages.input
  const modelEnded = new AbortController()
  if (!work.stages.model) modelEnded.abort()
  const watchStage = <T>(stage: keyof Stages, loop: Promise<T>, then: () => void): Promise<T> =>
    loop
      .catch((error: unknown) => {
        work.onFailed?.(stage)
        failed.abort()
        throw error
      })
      .finally(() => {
        then()
        docs.notify()
        answers.notify()
      })
  const inputDrain = AbortSignal.any([signals.drain, work.spending.docsOver])
  const loops = [
    watchStage(
      'input',
      work.stages.input ? input(work, docs, { drain: inputDrain, modelEnded: modelEnded.signal }) : nothing(),
      () => (inputEnded = true),
    ),
    watchStage(
      'model',
      work.stages.model
        ? model(work, { docs, answers, ...signals, upstreamFinished: () => isInputDone(work, inputEnded) })
        : nothing(),
      () => modelEnded.abort(),
    ),
    watchStage(
      'judge',
      work.stages.judge
        ? judge(work, {
            answers,
            drain: signals.drain,
            ...(work.stages.model ? { lastAnswered: modelEnded.signal } : {}),
            upstreamFinished: () => areAnswersDone(work, modelEnded.signal.aborted),
          })
        : nothing(),
      () => undefined,
    ),
  ] as const
  const stopWatching = watchOthers(work)
  const cancelOvertime = limitOvertime(work.spending, () => overtime.abort())
  const [inputResult, modelResult, judgeResult] = await Promise.allSettled(loops)
  stopWatching()
  cancelOvertime()
  for (const result of [inputResult, modelResult, judgeResult]) if (result.status === 'rejected') throw result.reason
  return {
    ...(modelResult.status === 'fulfilled' && modelResult.value !== undefined ? { infer: modelResult.value } : {}),
    ...(judgeResult.status === 'fulfilled' && judgeResult.value !== undefined ? { judge: judgeResult.value } : {}),
  }
}

/** The time between two queries of other processes' progress: at least so many milliseconds, and so many times the query's own time. */
const lookEvery = { ms: 1_000, times: 20 }

/** Reports the run's progress once another process commits to the store. @returns a function that stops it */
function watchOthers({ store, run, hooks }: Pick<Work, 'store' | 'run' | 'hooks'>, clock = realClock): () => void {
  const began = store.dataVersion()
  // The error is thrown where the promise is awaited.
  began.catch(() => undefined)
  let hasOthers = false
  let hasEnded = false
  let cancel = (): void => undefined
  const look = async (): Promise<void> => {
    const startedAt = clock.now()
    hasOthers ||= (await store.dataVersion()) !== (await began)
    if (hasOthers) hooks.emit({ type: 'run-counts', counts: await store.runs.counts(run) })
    if (!hasEnded) lookIn(Math.max(lookEvery.ms, lookEvery.times * (clock.now() - startedAt)))
  }
  const lookIn = (ms: number): void => {
    // The stages report errors of the store.
    cancel = clock.after(ms, () => void look().catch(() => undefined))
  }
  lookIn(lookEvery.ms)
  return () => {
    hasEnded = true
    cancel()
  }
}

const nothing = (): Promise<undefined> => Promise.resolve(undefined)

async function input(
  { store, run, plan, settings, hooks, judgement }: Work,
  wake: Wake,
  { drain, modelEnded }: { readonly drain: AbortSignal; readonly modelEnded: AbortSignal },
): Promise<void> {
  const failed = settings.retryFailed ? await store.requests.failures(run) : []
  const readers = countReaders(plan.tasks.length)
  const draws = makeDraws(run, plan, store)
  const isBegun = await readTasks(plan.tasks, drain, async (task, taskIndex, signal) => {
    const own = draws.next(taskIndex)
    const judged = judgement && { store, run, judgement, scorers: plan.scorers }
    const ingest = {
      store,
      run,
      taskIndex,
      order: judged && makeDocOrder(judged, taskIndex, { drain: signal, ended: modelEnded }),
      task,
      selection: readRunSelection(run),
      prompting: plan.prompting,
      generation: plan.generation,
      ...(plan.tools && { tools: plan.tools.rules }),
      draws: own,
      readers,
      wake,
      drain: signal,
      emit: hooks.emit,
    }
    const again = failed.filter(({ task: name, failure }) => name === task.name && isPermanent(failure))
    try {
      await reingestDocs(ingest, new Set(again.map(({ index }) => index)))
      await ingestTask(ingest)
    } finally {
      own?.end()
    }
  })
  if (isBegun) hooks.emit({ type: 'input-finished' })
}

/** The docs that a run selects. */
export const readRunSelection = ({ asked }: Pick<Run, 'asked'>): Selection => readSelection(asked.selection)

/** Tells whether no more requests will come: the input stage of this process has ended, and no other process reads docs. */
async function isInputDone({ store, run, stages }: Work, ended: boolean): Promise<boolean> {
  if (stages.input) return ended
  return (await store.runs.counts(run)).inputFinished || !(await store.runs.isWorkedOnElsewhere(run))
}

async function model(
  { store, run, plan, settings, hooks, spending, gate }: Work,
  flow: {
    readonly docs: Wake
    readonly answers: Wake
    readonly drain: AbortSignal
    readonly stop: AbortSignal
    readonly upstreamFinished: () => Promise<boolean>
  },
): Promise<InferOutcome> {
  const drain = AbortSignal.any([flow.drain, spending.requestsOver])
  const inference = inferenceBy(plan.model, run, drain)
  const outcome = await inferRun({
    ...inference,
    ...batchesBy(plan.model.batch, settings, store),
    ...orderBy(settings, plan.model),
    ...hedgedBy(settings, plan.model, hooks),
    gate,
    openModel: async () => conversing(await inference.openModel(), { store, run, plan }),
    store,
    run,
    retryFailed: settings.retryFailed,
    upstreamFinished: flow.upstreamFinished,
    wake: flow.docs,
    answered: flow.answers,
    drain,
    stop: flow.stop,
    emit: hooks.emit,
  })
  await failOverBudget({ store, run, spending, hooks }, flow)
  return outcome
}

const orderBy = (
  settings: Pick<EvalSettings, 'order'>,
  model: Pick<ModelPlan, 'order' | 'backend'>,
): Pick<InferOptions, 'order'> => {
  const order = model.backend.isSequential === true ? 'none' : (settings.order ?? model.order)
  return order === undefined ? {} : { order }
}

/** Hedging sends a copy of a slow request to a server. A model on this machine would only get slower. */
function hedgedBy(
  { hedge, batch }: Pick<EvalSettings, 'hedge' | 'batch'>,
  { backend, identity }: ModelPlan,
  { emit }: Pick<Hooks, 'emit'>,
): Pick<InferOptions, 'hedge'> {
  if (hedge === undefined) return {}
  const isHere = typeof backend.concurrency === 'number' && identity.files !== undefined
  const why = isHere
    ? `${backend.id} computes on this machine`
    : batch === true
      ? 'requests go out as batches'
      : undefined
  if (why === undefined) return { hedge }
  emit({ type: 'note', text: `${option('hedge')}: nothing is sent twice, since ${why}` })
  return {}
}

/** Tells whether no more answers will come. */
async function areAnswersDone(
  { store, run, stages }: Pick<Work, 'store' | 'run' | 'stages'>,
  ended: boolean,
): Promise<boolean> {
  return stages.model ? ended : isAnswered(store, run)
}

/** Tells whether a run that other processes work on has all its answers, or none of them works on it any more. */
export async function isAnswered(store: Store, run: Run): Promise<boolean> {
  return isSettled(await store.runs.counts(run)) || !(await store.runs.isWorkedOnElsewhere(run))
}

/** Runs the judge stage, alone or beside the others. */
export function judge(
  work: Pick<Work, 'store' | 'run' | 'hooks' | 'judgement'> & {
    readonly plan: {
      readonly scorers: readonly Scorer[]
      readonly groups: readonly GroupSpec[]
      readonly judges?: Pick<Judges, 'isAsking'>
    }
  },
  flow: Pick<JudgeWork, 'drain' | 'lastAnswered' | 'upstreamFinished'> & { readonly answers: Wake },
): Promise<JudgeOutcome> {
  const { store, run, judgement } = work
  if (judgement === undefined) throw new Error('internal error: no judgement was opened')
  const { scorers, groups, judges } = work.plan
  return judgeRun({
    store,
    run,
    judgement,
    scorers,
    groups,
    files: join(store.workFolder, 'submissions', run.name),
    upstreamFinished: flow.upstreamFinished,
    ...(flow.lastAnswered && { lastAnswered: flow.lastAnswered }),
    totals: () => countTotals(store, run, judgement, scorers),
    refine: aggregates => withAnytimeIntervals({ store, run, judgement, scorers }, aggregates),
    before: () => judgementBefore(store, run, judgement),
    answered: flow.answers,
    drain: flow.drain,
    isAsking: () => judges?.isAsking === true,
    emit: work.hooks.emit,
  })
}

/** The number of docs of each task, scored or not, by label of the breakdown if some docs have no score. */
async function countTotals(
  store: Store,
  run: Run,
  judgement: Judgement,
  scorers: readonly Scorer[],
): Promise<readonly Totals[]> {
  const { docs, docsByTask } = await store.runs.counts(run)
  const outcomes = await store.judgements.outcomes(judgement)
  const isWhole = Object.values(outcomes).reduce((sum, n) => sum + n, 0) === docs
  const groups = scorers.map(({ breakdown }): Record<string, Record<string, number>> =>
    Object.fromEntries(breakdown.map(field => [field, emptyTable<number>()])),
  )
  if (!isWhole && groups.some(fields => Object.keys(fields).length > 0)) {
    for await (const { task, record } of store.judgements.samples(run)) {
      const counts = groups[task] ?? {}
      for (const [field, label] of Object.entries(readLabels(record, Object.keys(counts)))) {
        const labels = counts[field]
        if (labels !== undefined) labels[label] = (labels[label] ?? 0) + 1
      }
    }
  }
  return scorers.map((_, task) => ({ docs: docsByTask[task] ?? 0, ...(isWhole ? {} : { groups: groups[task] ?? {} }) }))
}
