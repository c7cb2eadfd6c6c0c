import { option } from '../../base/errors/option-words.js'
import { compileNamePatterns } from '../../base/text/name-patterns.js'
import { Wake } from '../../base/time/wake.js'
import { isPermanent, type Judgement, type Run } from '../../cache/records.js'
import type { LeaseQuery, Store } from '../../cache/store.js'
import { isUnwritable } from '../../cache/waiting-answers/unwritable.js'
import { isSettled } from '../../cache/facts/run-state.js'
import { ingestTask, reingestDocs, type Selection } from '../../stages/input/ingest.js'
import type { JudgeOutcome } from '../../stages/judge/judge.js'
import type { Gate } from '../../stages/model/budget/gate.js'
import { inferRun } from '../../stages/model/infer.js'
import type { InferOptions, InferOutcome } from '../../stages/model/infer-options.js'
import { batchesBy } from '../model/batches.js'
import { readSelection } from '../config/values/selection.js'
import { withConversations } from './conversations.js'
import { inferenceBy, type ModelPlan } from '../model/model-plan.js'
import { failOverBudget } from '../cost/over-budget.js'
import { limitOvertime } from './stopping/overtime.js'
import { makeDraws } from './tasks/sampled-tasks.js'
import { makeDocOrder } from './stopping/decide-by-scores.js'
import type { Plan } from './plan.js'
import type { EvalSettings, Hooks, Stages } from '../config/settings.js'
import type { Spending } from '../cost/spending.js'
import { countReaders, readTasks } from './tasks/task-readers.js'
import { watchOthers } from './watch-others.js'
import { judge } from './judge-stage.js'

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
 * Runs the chosen stages at the same time. They share only the store. If a stage fails, the others are aborted, and the error is thrown when all have
 * ended. If the store cannot be written, such as on a full disk, the others finish their requests in flight.
 */
export async function runStages(work: Work): Promise<StageOutcomes> {
  const failed = new AbortController()
  const { drain, stop } = work.hooks
  const overtime = new AbortController()
  const stopSignal = AbortSignal.any([stop, failed.signal, overtime.signal])
  const unwritable = new AbortController()
  const signals = { drain: AbortSignal.any([drain, stopSignal, unwritable.signal]), stop: stopSignal }
  const docs = new Wake()
  const answers = new Wake()
  let inputEnded = !work.stages.input
  const modelEnded = new AbortController()
  const sendingEnded = new AbortController()
  if (!work.stages.model) for (const ended of [modelEnded, sendingEnded]) ended.abort()
  const watchStage = <T>(stage: keyof Stages, loop: Promise<T>, then: () => void): Promise<T> =>
    loop
      .catch((error: unknown) => {
        work.onFailed?.(stage)
        // Requests in flight are paid for, and a store that cannot be written keeps their answers in a file.
        if (isUnwritable(error)) unwritable.abort()
        else failed.abort()
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
      work.stages.input
        ? runInput(work, docs, { drain: inputDrain, sendingEnded: sendingEnded.signal })
        : findNothing(),
      () => (inputEnded = true),
    ),
    watchStage(
      'model',
      work.stages.model
        ? model(work, {
            ...{ docs, answers, ...signals, onSent: () => sendingEnded.abort() },
            upstreamFinished: () => isInputDone(work, inputEnded),
          })
        : findNothing(),
      () => modelEnded.abort(),
    ),
    watchStage(
      'judge',
      work.stages.judge
        ? judge(
            { ...work, ...nameMeantDocs(work) },
            {
              answers,
              drain: signals.drain,
              ...(work.stages.model ? { lastAnswered: modelEnded.signal } : {}),
              upstreamFinished: () => areAnswersDone(work, { inputEnded, modelEnded: modelEnded.signal.aborted }),
            },
          )
        : findNothing(),
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

const findNothing = (): Promise<undefined> => Promise.resolve(undefined)

async function runInput(
  { store, run, plan, settings, hooks, judgement }: Work,
  wake: Wake,
  { drain, sendingEnded }: { readonly drain: AbortSignal; readonly sendingEnded: AbortSignal },
): Promise<void> {
  const failed = settings.retryFailed ? await store.requests.failures(run) : []
  const readers = countReaders(plan.tasks.length)
  const draws = makeDraws(run, plan, store)
  const flow = { ended: sendingEnded, isPartial: settings.onlyDocs !== undefined }
  const isBegun = await readTasks(plan.tasks, drain, async (task, taskIndex, signal) => {
    const own = draws.next(taskIndex)
    const judged = judgement && { store, run, judgement, scorers: plan.scorers }
    const ingest = {
      store,
      run,
      taskIndex,
      order: judged && makeDocOrder(judged, taskIndex, { ...flow, drain: signal }),
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

/** Reads the doc selection of a run. */
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
    /** Called when this process sends no more requests. The input may wait for it, so it comes before the input is awaited. */
    readonly onSent: () => void
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
    openModel: async () => withConversations(await inference.openModel(), { store, run, plan }),
    store,
    run,
    ...nameMeantDocs({ run, settings }),
    retryFailed: settings.retryFailed,
    upstreamFinished: flow.upstreamFinished,
    wake: flow.docs,
    answered: flow.answers,
    drain,
    stop: flow.stop,
    emit: hooks.emit,
  }).finally(flow.onSent)
  await failOverBudget({ store, run, spending, hooks }, flow)
  return outcome
}

/** Makes the doc filter of `resume --docs`. */
function nameMeantDocs({ run, settings: { onlyDocs } }: Pick<Work, 'run' | 'settings'>): {
  readonly isMeant?: NonNullable<LeaseQuery['isMeant']>
} {
  if (onlyDocs === undefined) return {}
  const { findHits } = compileNamePatterns(onlyDocs)
  return { isMeant: (task, doc) => findHits(run.asked.tasks[task]?.name ?? '', doc).length > 0 }
}

const orderBy = (
  settings: Pick<EvalSettings, 'order'>,
  model: Pick<ModelPlan, 'order' | 'backend'>,
): Pick<InferOptions, 'order'> => {
  const order = model.backend.isSequential === true ? 'none' : (settings.order ?? model.order)
  return order === undefined ? {} : { order }
}

/** Reads the hedging options. A local model is not hedged, because copies of slow requests would slow it down further. */
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

/** Tells whether no more answers will come. While docs are being read, stored answers may still join. */
async function areAnswersDone(
  { store, run, stages }: Pick<Work, 'store' | 'run' | 'stages'>,
  { inputEnded, modelEnded }: { readonly inputEnded: boolean; readonly modelEnded: boolean },
): Promise<boolean> {
  if (stages.model) return modelEnded
  return inputEnded && isAnswered(store, run)
}

/** Tells whether a run that other processes work on has all its answers, or none of them works on it any more. */
export async function isAnswered(store: Store, run: Run): Promise<boolean> {
  return isSettled(await store.runs.counts(run)) || !(await store.runs.isWorkedOnElsewhere(run))
}
