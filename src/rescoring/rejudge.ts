import { existsSync } from 'node:fs'
import { PipelineError } from '../../base/errors/errors.js'
import { ownValue } from '../../base/values/named-values.js'
import { Wake } from '../../base/time/wake.js'
import type { PortableStore } from '../../cache/bundle/portable.js'
import type { CodeRuntime } from '../../cache/code/code-runtime.js'
import type { Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { JudgeOutcome } from '../../stages/judge/judge.js'
import { realClock } from '../clock.js'
import { Spending } from '../cost/spending.js'
import { hidingHooks, hidingSecrets, withHiddenErrors } from '../config/hidden-secrets.js'
import { withRuntime } from '../evaluation/code-runtime.js'
import { noteSession, type NotedSession } from '../evaluation/note-session.js'
import { readOutcome } from '../evaluation/outcome.js'
import { codeFolder } from '../../cache/location.js'
import { presentTasks, taskFolders, refuseUntrustedGroups, tasksToJudge } from './tasks-to-judge.js'
import { findRun } from '../reading/runs/run-reference.js'
import type { EvalOutcome, Hooks, JudgeSettings, RejudgeSettings } from '../config/settings.js'
import { isAnswered } from '../evaluation/stages.js'
import { judge } from '../evaluation/judge-stage.js'
import { groupSpecs } from '../evaluation/tasks/task-groups.js'
import { waitingBy, withOpenStoreAt } from '../evaluation/with-store.js'
import { loadPlugins } from '../model/plugins.js'
import { planJudges } from '../judging/judges.js'
import { addTaskJudges } from '../judging/task-judges.js'
import { addVariableJudge } from '../judging/variable-judge.js'
import { noChanges } from '../judging/judging-changes.js'

/**
 * Scores the answers of a run or bundle with the current rules. It sends no request and needs only the store. If a task's folder is missing, the
 * rules stored with the run are used.
 *
 * While another process answers the run's requests, new answers are scored as they arrive.
 *
 * @throws PipelineError if the run does not exist, or rules cannot be read
 */
export async function rejudge(settings: RejudgeSettings, hooks: Hooks): Promise<EvalOutcome> {
  const hide = hidingSecrets(settings)
  return withHiddenErrors(hide, () => rejudgeShown(settings, hidingHooks(hooks, hide)))
}

async function rejudgeShown(settings: RejudgeSettings, hooks: Hooks): Promise<EvalOutcome> {
  const isForeign = namesBundle(settings.run)
  const spending = new Spending(settings)
  try {
    const options = { access: isForeign ? 'write' : 'change', waiting: waitingBy(hooks) } as const
    return await withOpenStoreAt(settings.store, options, store =>
      rejudgeIn(store, settings, { hooks, spending, isForeign }),
    )
  } finally {
    spending.close()
  }
}

async function rejudgeIn(
  store: Store & PortableStore,
  settings: RejudgeSettings,
  { hooks, spending, isForeign }: { readonly hooks: Hooks; readonly spending: Spending; readonly isForeign: boolean },
): Promise<EvalOutcome> {
  const startedAt = realClock.now()
  const { run, isNew } = await (isForeign ? importedRun : storedRun)(store, settings.run)
  hooks.onRun?.(run, isNew, await store.runs.counts(run))
  const judging = { store, run, hooks, stages: judgeOnly, hide: hidingSecrets(settings) }
  return noteSession(judging, session =>
    withRuntime({ ...settings, includePaths: taskFolders(run, settings) }, runtime =>
      judgeRun({ run, isNew, store, runtime, hooks, spending, isForeign, startedAt, session }, settings),
    ),
  )
}

const judgeOnly = { input: false, model: false, judge: true }

interface Rejudging {
  readonly run: Run
  readonly isNew: boolean
  readonly store: Store & PortableStore
  readonly runtime: CodeRuntime
  readonly hooks: Hooks
  readonly spending: Spending
  readonly isForeign: boolean
  readonly startedAt: number
  readonly session: NotedSession
}

async function judgeRun(
  { run, isNew, store, runtime, hooks, spending, isForeign, startedAt, session }: Rejudging,
  settings: RejudgeSettings,
): Promise<EvalOutcome> {
  const cacheDir = codeFolder(store.workFolder)
  const plugins = await loadPlugins(settings.plugins, { cacheDir })
  const present = await presentTasks(run, { settings, cacheDir, runtime })
  const scored = run.asked.tasks.flatMap(({ name }) => {
    const scoring = ownValue(run.provenance.scoring, name)
    return present.get(name) ?? (scoring === undefined ? [] : { name, scoring })
  })
  const judges = await planJudges(addTaskJudges(chooseJudges(settings, run, hooks), scored), {
    store,
    plugins,
    values: settings.values,
    env: settings.env,
    hide: runtime.hide,
    hooks,
    spending,
  })
  const tasks = await tasksToJudge(store, run, {
    settings,
    plugins,
    isForeign,
    emit: hooks.emit,
    judges,
    runtime,
    present,
  })
  judges?.refuseUnused()
  refuseUntrustedGroups(run, { settings, isForeign })
  const groups = await groupSpecs(run, { cacheDir, runtime })
  const scorers = tasks.map(({ scorer }) => scorer)
  const judgement = await store.judgements.open(
    run,
    scorers.map(({ judging }) => judging),
  )
  for (const [task, { revisions }] of tasks.entries())
    if (revisions.length > 0) await store.judgements.reviseRecords(judgement, task, revisions)
  await session.begin()
  const work = (): Promise<JudgeOutcome> =>
    judge(
      { store, run, judgement, hooks, plan: { scorers, groups, ...(judges && { judges }) } },
      {
        answers: new Wake(),
        drain: AbortSignal.any([hooks.drain, hooks.stop]),
        upstreamFinished: () => isAnswered(store, run),
      },
    )
  const outcome = await (judges?.during(run, work) ?? work())
  const isSame = judgement.finishedAt !== undefined && outcome.finished && outcome.counts.docs === 0
  const ended = await readOutcome({
    store,
    run,
    isNew,
    hooks,
    startedAt,
    outcomes: { judge: outcome },
    session,
    stopped: spending.hindrance,
    judgeStopped: judges?.stopped,
    judgement: outcome.judgement,
  })
  return isSame ? { ...ended, changes: noChanges(judgement) } : ended
}

/** Tells whether the reference names a bundle. @throws PipelineError if it does and the file is missing */
function namesBundle(reference: string): boolean {
  if (existsSync(reference)) return true
  // A `--name` may contain slashes.
  if (/^[./\\~]|\.pipeline$/.test(reference)) throw new PipelineError('usage', `no file ${reference}`)
  return false
}

type RunToJudge = Promise<{ readonly run: Run; readonly isNew: boolean }>

async function importedRun(store: PortableStore, file: string): RunToJudge {
  const { importBundle } = await import('../../cache/bundle/import.js')
  return importBundle(store, file, { onConflict: 'refuse' })
}

const storedRun = async (store: Store, reference: string): RunToJudge => ({
  run: (await findRun(store, reference)).run,
  isNew: false,
})

/** Chooses the judges of the settings, else the run's earlier judges. A new default judge does not replace judges of single tasks. */
function chooseJudges(settings: RejudgeSettings, { provenance }: Run, { emit }: Pick<Hooks, 'emit'>): JudgeSettings {
  const { judge_model: model, judge_args: args, judge_for: stored, judge_override: replaced } = provenance.config
  const judgeFor = settings.judgeFor ?? stored
  const judgeOverride = settings.judgeOverride ?? replaced
  const own = { ...settings, ...(judgeFor && { judgeFor }), ...(judgeOverride && { judgeOverride }) }
  if (settings.judgeModel !== undefined) return own
  if (model === undefined)
    return addVariableJudge(
      { ...own, ...settings.fallbackJudge },
      { env: settings.env, scorings: Object.values(provenance.scoring), emit },
    )
  return { ...own, judgeModel: model, judgeArgs: { ...args, ...settings.judgeArgs } }
}
