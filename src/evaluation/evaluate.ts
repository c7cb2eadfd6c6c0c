import { command, option } from '../../base/errors/option-words.js'
import { formatQuantity } from '../../base/text/numbers.js'
import { runKey } from '../../cache/keys.js'
import type { PortableStore } from '../../cache/bundle/portable.js'
import type { Judgement, Run, StoredConfig } from '../../cache/records.js'
import type { RunCounts, Store } from '../../cache/store.js'
import { isAllAsked } from '../../cache/facts/run-state.js'
import { realClock } from '../clock.js'
import { rememberTaskSizes } from '../reading/tasks/task-size.js'
import { modelPrice } from '../cost/model-price.js'
import { forgetStats, runStats } from '../reading/runs/run-stats.js'
import { hidingHooks, hidingSecrets, withHiddenErrors, type Hide } from '../config/hidden-secrets.js'
import { refuseStoredSecrets } from '../config/refused-secrets.js'
import { readModelName, readRunAbout } from '../reading/runs/run-about.js'
import { noteSession, type NotedSession } from './note-session.js'
import { readOutcome, countUnaggregated, type FinishedRun } from './outcome.js'
import { planEvaluation, startRun, type Plan } from './plan.js'
import { awaitPreparation } from './preparation.js'
import { reopenOverBudget } from '../cost/over-budget.js'
import type { EvalOutcome, EvalSettings, Hooks, Stages } from '../config/settings.js'
import { Spending } from '../cost/spending.js'
import { refuseUnscored } from './stopping/plan-stopping.js'
import { checkDatasets, refuseOtherDocs } from './tasks/check-datasets.js'
import { runStages, type StageOutcomes, type Work } from './stages.js'
import { waitingBy, withOpenStoreAt } from './with-store.js'

/**
 * Runs the input, model and judge stages at the same time. Each stage does only what the store does not contain yet.
 *
 * The same settings mean the same run, which is resumed if it is not complete.
 *
 * @throws PipelineError if something is wrong that a person can fix; all answers until then are kept.
 */
export function evaluate(settings: EvalSettings, hooks: Hooks, stages: Stages = {}): Promise<EvalOutcome> {
  return withOpenStoreAt(settings.store, { waiting: waitingBy(hooks) }, store =>
    evaluateIn(store, settings, { hooks, stages }),
  )
}

/** Evaluates in an open store, which stays open. `settings.store` is ignored. */
export async function evaluateIn(
  store: Store & PortableStore,
  settings: EvalSettings,
  { hooks, stages = {} }: { readonly hooks: Hooks; readonly stages?: Stages },
): Promise<EvalOutcome> {
  const spending = new Spending(settings)
  const hide = hidingSecrets(settings)
  try {
    return await withHiddenErrors(hide, () =>
      evaluateWithin(spending, store, { settings, hooks: hidingHooks(hooks, hide), stages, hide }),
    )
  } finally {
    spending.close()
  }
}

/** A stored run, with the settings that other processes need to work on it. */
export interface CreatedRun {
  readonly run: Run
  readonly isNew: boolean
  /** The settings as keys of a configuration file, without secrets. */
  readonly config: StoredConfig
}

/**
 * Creates or finds the run of these settings. Other processes do its work.
 *
 * @throws PipelineError if something is wrong that a person can fix
 */
export async function createRun(
  store: Store & PortableStore,
  settings: EvalSettings,
  { hooks, stages }: { readonly hooks: Hooks; readonly stages: Required<Stages> },
): Promise<CreatedRun> {
  const hide = hidingSecrets(settings)
  return withHiddenErrors(hide, async () => {
    const hidden = hidingHooks(hooks, hide)
    const plan = await openPlan(settings, store, hidden)
    try {
      refuseUnscored(settings, stages)
      const stored = await findCountedRun(store, plan)
      const { run, isNew } = await prepareRun(store, plan, { settings, hooks: hidden, stored })
      await store.runs.touch(run)
      if (settings.tag !== undefined && settings.tag.length > 0) await store.runs.tag(run, { add: settings.tag })
      return { run, isNew, config: plan.provenance.config }
    } finally {
      await plan.close()
    }
  })
}

interface Evaluating {
  readonly spending: Spending
  readonly settings: EvalSettings
  readonly hooks: Hooks
  readonly stages: Stages
  readonly hide: Hide
  readonly startedAt: number
}

async function evaluateWithin(
  spending: Spending,
  store: Store & PortableStore,
  { settings, hooks, stages, hide }: Omit<Evaluating, 'spending' | 'startedAt'>,
): Promise<EvalOutcome> {
  const startedAt = realClock.now()
  const plan = await openPlan(settings, store, hooks, spending)
  try {
    return await evaluatePlan(plan, store, { spending, settings, hooks, stages, hide, startedAt })
  } finally {
    await plan.close()
  }
}

function openPlan(settings: EvalSettings, store: Store, hooks: Hooks, spending?: Spending): Promise<Plan> {
  refuseStoredSecrets(settings)
  return awaitPreparation(() => planEvaluation(settings, store, { ...hooks, ...(spending && { spending }) }), {
    what: 'the tasks, plugins and models to be read',
    hooks,
    ...(spending && { spending }),
    discard: late => late.close(),
  })
}

async function evaluatePlan(plan: Plan, store: Store & PortableStore, evaluating: Evaluating): Promise<EvalOutcome> {
  const { spending, settings, hooks, stages, hide } = evaluating
  const chosen = { input: stages.input ?? true, model: stages.model ?? true, judge: stages.judge ?? true }
  refuseUnscored(settings, chosen)
  if (settings.onlyDocs !== undefined) await refuseOtherDocs(plan, settings.onlyDocs, settings)
  const stored = await findCountedRun(store, plan)
  if (stages.model !== false) await refuseUnready(plan, stored, settings)
  const gate = await spending.gateOf(plan.model, { isBatch: settings.batch === true })
  const newest = await store.runs.newest()
  const { run, isNew } = await prepareRun(store, plan, { ...evaluating, stored })
  if (newest?.id !== run.id) await store.runs.touch(run)
  if (!isNew) noteOtherNames(run, settings, hooks)
  if (settings.tag !== undefined && settings.tag.length > 0) await store.runs.tag(run, { add: settings.tag })
  return noteSession({ store, run, hooks, stages: chosen, hide }, session =>
    evaluateRun({ store, run, isNew, counts: stored?.counts, plan, gate, chosen, session }, evaluating),
  )
}

async function evaluateRun(
  {
    store,
    run,
    isNew,
    counts,
    plan,
    gate,
    chosen,
    session,
  }: Pick<Work, 'run' | 'plan' | 'gate'> & {
    readonly store: Store & PortableStore
    readonly isNew: boolean
    /** Undefined for a new run. */
    readonly counts: RunCounts | undefined
    readonly chosen: Required<Stages>
    readonly session: NotedSession
  },
  { spending, settings, hooks, startedAt }: Evaluating,
): Promise<EvalOutcome> {
  const currentCounts = counts ?? (await store.runs.counts(run))
  const before = chosen.model ? await reopenOverBudget(store, run, currentCounts) : currentCounts
  hooks.onRun?.(run, isNew, before)
  const judgings = plan.scorers.map(scorer => scorer.judging)
  const judgement = chosen.judge ? await store.judgements.open(run, judgings) : undefined
  const opened = judgement === undefined ? {} : { judgement }
  const finished = isAllAsked(before, settings)
    ? await readFinished(store, run, { judgement, counts: before })
    : undefined
  const { onFailed } = session
  const work = (): Promise<StageOutcomes> =>
    runStages({ store, run, plan, settings, hooks, spending, gate, stages: chosen, onFailed, ...opened })
  if (!isAllAsked(before, settings)) await forgetStats(store, run)
  if (finished === undefined) await session.begin()
  const outcomes = finished === undefined ? await (plan.judges?.during(run, work) ?? work()) : {}
  const ended = judgement && (outcomes.judge?.judgement ?? judgement)
  const outcome = await readOutcome({
    store,
    run,
    isNew,
    hooks,
    startedAt,
    outcomes,
    session,
    finished,
    stopped: spending.hindrance,
    judgeStopped: plan.judges?.stopped,
    ...(ended === undefined ? {} : { judgement: ended }),
  })
  await rememberTaskSizes(store, run, { tasks: plan.tasks, counts: outcome.counts })
  // After an interruption the program ends at once; the stats can be read later.
  if (!chosen.model || hooks.drain.aborted || hooks.stop.aborted) return outcome
  const price = await modelPrice(run, settings.prices)
  return { ...outcome, figures: await runStats(store, run, { price, counts: outcome.counts }) }
}

/** Notes that a resumed run keeps its first name, note and model name. */
function noteOtherNames(run: Run, { name, note, modelName }: EvalSettings, { emit }: Hooks): void {
  const about = readRunAbout(run)
  const pairs = [
    ['name', name, about.title],
    ['note', note, about.note],
    ['modelName', modelName, readModelName(run)],
  ] as const
  for (const [key, value, storedValue] of pairs)
    if (value !== undefined && value !== storedValue)
      emit({
        type: 'note',
        text: `${option(key)}: ${run.name} keeps what it began with. To mark it now: ${command('runs tag', [run.name])} TAG`,
      })
}

/** A run of the store. Its counts are passed on, because counting a large run takes seconds. */
export interface CountedRun {
  readonly run: Run
  readonly counts: RunCounts
}

/** Finds the run of a plan. Undefined if it is new. */
export async function findCountedRun(store: Store, { asked }: Pick<Plan, 'asked'>): Promise<CountedRun | undefined> {
  const run = await store.runs.find(runKey(asked).key)
  return run && { run, counts: await store.runs.counts(run) }
}

/** Rejects a model that cannot answer, for example because its program is missing. If no request is left, the model is not needed. */
export async function refuseUnready(
  { model: { ready } }: Pick<Plan, 'model'>,
  stored: CountedRun | undefined,
  settings: EvalSettings,
): Promise<void> {
  if (ready === undefined || (stored !== undefined && isAllAsked(stored.counts, settings))) return
  await ready()
}

/** Checks the datasets, then creates or finds the run. */
async function prepareRun(
  store: Store,
  plan: Plan,
  {
    settings,
    hooks,
    stored,
    spending,
  }: Pick<Evaluating, 'settings' | 'hooks'> & { readonly stored: CountedRun | undefined; readonly spending?: Spending },
): Promise<{ run: Run; isNew: boolean }> {
  const population =
    stored?.counts.inputFinished === true
      ? undefined
      : await awaitPreparation(() => checkDatasets(plan, settings), {
          what: `the docs of ${plan.tasks.length === 1 ? `the task ${plan.tasks[0]?.name}` : formatQuantity(plan.tasks.length, 'task')} to be opened`,
          hooks,
          ...(spending && { spending }),
        })
  return startRun(store, population === undefined ? plan : { ...plan, provenance: { ...plan.provenance, population } })
}

/** Returns the facts of a run that needs no work. Undefined if a doc with answers has no score. */
async function readFinished(
  store: Store,
  run: Run,
  { judgement, counts }: { readonly judgement: Judgement | undefined; readonly counts: RunCounts },
): Promise<FinishedRun | undefined> {
  if (judgement === undefined) return { counts, scores: {} }
  // An aggregation may have failed because its judge model did, so it is computed again.
  if (judgement.finishedAt === undefined || countUnaggregated(judgement) > 0) return undefined
  const scores = await store.judgements.outcomes(judgement)
  const { scored = 0 } = scores
  if (scored === counts.docs) return { counts, scores }
  const failed = new Set((await store.requests.failures(run)).map(({ task, index }) => `${task}/${index}`))
  return scored + failed.size === counts.docs ? { counts, scores } : undefined
}
