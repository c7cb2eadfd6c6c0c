import { ownValue } from '../../base/named-values.js'
import { existsSync } from 'node:fs'
import { canonicalJson } from '../../base/canonical-json.js'
import { Wake } from '../../base/wake.js'
import type { PortableStore } from '../../cache/bundle/portable.js'
import { sha256 } from '../../cache/digest.js'
import { judgeRecordKey } from '../../cache/keys.js'
import { explainedError, openStore } from '../../cache/open.js'
import type { JsonObject, Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { PipelineError } from '../../base/errors.js'
import type { JudgeOutcome } from '../../stages/judge/judge.js'
import type { Scorer } from '../../stages/judge/scorer.js'
import { findRun } from '../evaluation/run-reference.js'
import { realClock } from '../clock.js'
import { outcomeOf } from '../evaluation/evaluate.js'
import { noChanges } from './judging-changes.js'
import type { JudgeCalls } from './judge-calls.js'
import { planJudge } from './plan-judge.js'
import { lastScoring, type Revision } from './last-scoring.js'
import { refuseUntrustedCode, refuseForeignGroups } from '../model/untrusted-code.js'
import { codeFolder } from '../evaluation/plan.js'
import { loadPlugins } from '../model/plugins.js'
import { presentTasks } from '../evaluation/present-tasks.js'
import { promptingOf } from '../evaluation/prompting.js'
import { revisedRecords } from './revised-records.js'
import { makeTaskScorer, parityOf, scoringOf, type StoredScoring } from './scoring.js'
import type { EvalOutcome, Hooks, JudgeSettings, RejudgeSettings } from '../evaluation/settings.js'
import { groupSpecs } from '../evaluation/task-groups.js'
import { Spending } from '../cost/spending.js'
import { isAnswered, judge } from '../evaluation/stages.js'
import { waitingBy } from '../waiting.js'

/** One task of a run, ready to be judged. */
interface TaskToJudge {
  readonly scorer: Scorer
  readonly revisions: readonly Revision[]
}

/**
 * Scores the answers of a run, or of a bundle, by the rules as they are now. Nothing is asked, and nothing is needed but the
 * store: where a task's folder is not at hand, the rules that came with the run hold.
 *
 * While another process still answers the run's requests, its answers are scored as they come.
 *
 * @throws PipelineError where there is no such run, or rules can't be read.
 */
export async function rejudge(settings: RejudgeSettings, hooks: Hooks): Promise<EvalOutcome> {
  const startedAt = realClock.now()
  const isForeign = isFile(settings.run)
  const store = await openStore(settings.store, {
    access: isForeign ? 'write' : 'change',
    waiting: waitingBy(hooks),
  })
  const spending = new Spending(settings)
  try {
    const { run, isNew } = await (isForeign ? importedRun : storedRun)(store, settings.run)
    hooks.onRun?.(run, isNew, await store.runs.counts(run))
    const judgeCalls = await planJudge(judgeOf(settings, run), {
      store,
      plugins: await loadPlugins(settings.plugins, { cacheDir: codeFolder(store) }),
      hooks,
    })
    await judgeCalls?.spendFrom(spending)
    judgeCalls?.begin(run)
    const tasks = await tasksToJudge(store, run, { settings, isForeign, emit: hooks.emit, judge: judgeCalls })
    const scorers = tasks.map(({ scorer }) => scorer)
    refuseForeignGroups(run, { settings, isForeign })
    const groups = await groupSpecs(run, { cacheDir: codeFolder(store) })
    const judgement = await store.judgements.open(
      run,
      scorers.map(({ judging }) => judging),
    )
    for (const [task, { revisions }] of tasks.entries())
      if (revisions.length > 0) await store.judgements.reviseRecords(judgement, task, revisions)
    const answers = new Wake()
    const work = (): Promise<JudgeOutcome> =>
      judge(
        { store, run, judgement, hooks, plan: { scorers, groups } },
        { answers, drain: AbortSignal.any([hooks.drain, hooks.stop]), upstreamFinished: () => isAnswered(store, run) },
      )
    const outcome = await (judgeCalls?.during(work) ?? work())
    const isSame = judgement.finishedAt !== undefined && outcome.finished && outcome.counts.docs === 0
    const ended = await outcomeOf({
      store,
      run,
      isNew,
      hooks,
      startedAt,
      outcomes: { judge: outcome },
      stopped: spending.stopped,
      judgement: outcome.judgement,
    })
    return isSame ? { ...ended, changes: noChanges(judgement) } : ended
  } catch (error) {
    throw await explainedError(settings.store, error)
  } finally {
    spending.close()
    await store.close()
  }
}

/** Whether a bundle is meant. @throws PipelineError where it is, and is not there */
function isFile(reference: string): boolean {
  if (existsSync(reference)) return true
  if (/[/\\]|\.pipeline$/.test(reference)) throw new PipelineError('usage', `no file ${reference}`)
  return false
}

type RunToJudge = Promise<{ readonly run: Run; readonly isNew: boolean }>

async function importedRun(store: PortableStore, file: string): RunToJudge {
  const { importBundle } = await import('../../cache/bundle/import.js')
  return importBundle(store, file, { onConflict: 'refuse' })
}

const storedRun = async (store: Store, reference: string): RunToJudge => ({
  run: findRun(reference, await store.runs.list()).run,
  isNew: false,
})

async function tasksToJudge(
  store: Store,
  run: Run,
  options: {
    readonly settings: RejudgeSettings
    readonly isForeign: boolean
    readonly emit: Hooks['emit']
    readonly judge: JudgeCalls | undefined
  },
): Promise<readonly TaskToJudge[]> {
  const { settings, emit } = options
  const judge = { ...(options.judge && { judge: options.judge }), ...parityOf(settings, { emit }) }
  const cacheDir = codeFolder(store)
  const plugins = await loadPlugins(settings.plugins, { cacheDir })
  const { exports: exported } = plugins
  const prompting = promptingOf(run.asked.selection, run.asked.model.backend, plugins)
  const present = await presentTasks(run, { settings, cacheDir, emit })
  return Promise.all(
    run.asked.tasks.map(async ({ name }, index) => {
      const stored = ownValue(run.provenance.scoring, name) as StoredScoring | undefined
      const task = present.get(name)
      if (task === undefined) {
        if (stored === undefined)
          throw new PipelineError(
            'config',
            `no task "${name}" is here, and run ${run.name} does not say how it is scored. Give its folder with --include-path.`,
          )
        refuseUntrustedCode(name, stored, options)
        const { scoring, revisions, isOutdated } = await lastScoring(store, run, { index, stored })
        emit({ type: 'note', text: `task ${name} is not here: scored by the rules that came with the run` })
        if (isOutdated)
          emit({
            type: 'note',
            text: `${name} was scored since by newer code, which did not come with the run: give its folder with --include-path to use that`,
          })
        const scorer = await makeTaskScorer(name, scoring, {
          cacheDir,
          exported,
          emit,
          ...judge,
          ...revised(revisions),
        })
        return { scorer, revisions }
      }
      const revisions = await revisedRecords(store, run, { index, task, stored, prompting, emit })
      const scoring = scoringOf(task, { path: '', files: {} })
      const scorer = await makeTaskScorer(name, scoring, {
        cacheDir,
        exported,
        emit,
        ...judge,
        locate: path => task.at(path),
        ...revised(revisions),
      })
      return { scorer, revisions }
    }),
  )
}

/** The judge that is named now, else the one that the run was judged with. */
function judgeOf(settings: RejudgeSettings, { provenance }: Run): JudgeSettings {
  if (settings.judgeModel !== undefined) return settings
  const { judge_model: model, judge_args: args } = provenance.config
  if (typeof model !== 'string') return settings
  return { judgeModel: model, judgeArgs: { ...(args as JsonObject | undefined), ...settings.judgeArgs } }
}

const revised = (revisions: readonly Revision[]): { readonly revised?: string } =>
  revisions.length === 0
    ? {}
    : { revised: sha256(canonicalJson(revisions.map(({ index, record }) => [index, judgeRecordKey(record).key]))) }
