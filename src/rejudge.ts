import { existsSync } from 'node:fs'
import { canonicalJson } from '../base/canonical-json.js'
import { Wake } from '../base/wake.js'
import type { PortableStore } from '../cache/bundle/portable.js'
import { sha256 } from '../cache/digest.js'
import { inputKey, judgeRecordKey } from '../cache/keys.js'
import { openStore } from '../cache/open.js'
import type { Input, JsonObject, Run } from '../cache/records.js'
import type { Sample, Store } from '../cache/store.js'
import { PipelineError } from '../base/errors.js'
import { readRecords } from '../stages/input/ingest.js'
import type { Prompting } from '../stages/input/prompting.js'
import { builtinTasks, resolveTasks } from '../stages/input/tasks/resolve-tasks.js'
import { indexTasks, type TaskIndex } from '../stages/input/tasks/task-index.js'
import type { Task } from '../stages/input/tasks/task.js'
import type { JudgeOutcome } from '../stages/judge/judge.js'
import type { Scorer } from '../stages/judge/scorer.js'
import { findRun } from './run-reference.js'
import { realClock } from './clock.js'
import { dataAccess } from './data-access.js'
import { outcomeOf } from './evaluate.js'
import { noChanges } from './judging-changes.js'
import { planJudge, type JudgeCalls } from './judge-calls.js'
import { lastScoring, type Revision } from './last-scoring.js'
import { codeFolder, dataOf } from './plan.js'
import { loadPlugins } from './plugins.js'
import { promptingOf } from './prompting.js'
import { makeTaskScorer, parityOf, scoringOf, type StoredScoring } from './scoring.js'
import type { EvalOutcome, Hooks, JudgeSettings, RejudgeSettings } from './settings.js'
import { groupSpecs } from './task-groups.js'
import { Spending } from './spending.js'
import { isAnswered, judge, selectionOf } from './stages.js'

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
  const spending = new Spending(settings)
  const store = await openStore(settings.store)
  try {
    const { run, isNew, isForeign } = await runToJudge(store, settings)
    hooks.onRun?.(run, isNew, await store.counts(run))
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
    const judgement = await store.openJudgement(
      run,
      scorers.map(({ judging }) => judging),
    )
    for (const [task, { revisions }] of tasks.entries())
      if (revisions.length > 0) await store.reviseRecords(judgement, task, revisions)
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
  } finally {
    spending.close()
    await store.close()
  }
}

async function runToJudge(
  store: Store & PortableStore,
  { run: reference }: RejudgeSettings,
): Promise<{ run: Run; isNew: boolean; isForeign: boolean }> {
  if (existsSync(reference)) {
    const { importBundle } = await import('../cache/bundle/import.js')
    const { run, isNew } = await importBundle(store, reference, { onConflict: 'refuse' })
    return { run, isNew, isForeign: true }
  }
  if (/[/\\]|\.pipeline$/.test(reference)) throw new PipelineError('usage', `no file ${reference}`)
  return { run: findRun(reference, await store.listRuns()).run, isNew: false, isForeign: false }
}

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
      const stored = run.provenance.scoring[name] as StoredScoring | undefined
      const task = present.get(name)
      if (task === undefined) {
        if (stored === undefined)
          throw new PipelineError(
            'config',
            `no task "${name}" is here, and run ${run.name} does not say how it is scored. Give its folder with --include-path.`,
          )
        refuseForeignCode(name, stored, options)
        const { scoring, revisions, isOutdated } = await lastScoring(store, run, { index, stored })
        emit({ type: 'note', text: `task ${name} is not here: scored by the rules that came with the run` })
        if (isOutdated)
          emit({
            type: 'note',
            text: `${name} was scored since by newer code, which did not come with the run: give its folder with --include-path to use that`,
          })
        const scorer = await makeTaskScorer(name, scoring, { cacheDir, exported, ...judge, ...revised(revisions) })
        return { scorer, revisions }
      }
      const revisions = await revisedRecords(store, run, { index, task, stored, prompting, emit })
      const scoring = scoringOf(task, { path: '', files: {} })
      const scorer = await makeTaskScorer(name, scoring, {
        cacheDir,
        exported,
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

/** As of tasks: a group's own code that came from elsewhere. */
function refuseForeignGroups(
  { provenance: { groups = {} } }: Run,
  { settings, isForeign }: { readonly settings: RejudgeSettings; readonly isForeign: boolean },
): void {
  if (!isForeign || settings.trustBundle) return
  const own = Object.keys(groups).filter(name => JSON.stringify(groups[name]?.['code'] ?? {}).includes('"source"'))
  if (own.length === 0) return
  throw new PipelineError(
    'config',
    `group ${own.join(', ')} is scored by code of its own, which came with the run: run it with --trust-bundle.`,
  )
}

/** Code that came in a file from elsewhere runs only when it is said that it may. */
function refuseForeignCode(
  name: string,
  stored: StoredScoring,
  { settings, isForeign }: { readonly settings: RejudgeSettings; readonly isForeign: boolean },
): void {
  const isUsers = Object.values(stored.code ?? {}).some(code => 'source' in code)
  if (!isUsers || settings.trustBundle) return
  if (!isForeign && stored.closure === undefined) return
  throw new PipelineError(
    'config',
    `task ${name} is scored by code of its own, which is not here. Give its folder with --include-path, or run the code that came with the run with --trust-bundle.`,
  )
}

/** The run's tasks as they are now, as far as they are here. A task that is here and wrong is refused. */
async function presentTasks(
  run: Run,
  options: { readonly settings: RejudgeSettings; readonly cacheDir: string; readonly emit: Hooks['emit'] },
): Promise<ReadonlyMap<string, Task>> {
  const { tasks: asked, include_path: folders, cwd } = run.provenance.config
  const names = Array.isArray(asked) ? asked.filter(name => typeof name === 'string') : []
  const includePaths = [
    ...(Array.isArray(folders) ? folders.filter(folder => typeof folder === 'string') : []),
    ...options.settings.includePaths,
  ].filter(existsSync)
  // Judging asks nobody for data: what is in the cache is looked at, as it was for the run.
  const access = dataAccess(process.env, { storeDir: options.settings.store, emit: ignore, run, isOffline: true })
  const found = new Map<string, Task>()
  const whole = indexOnce([builtinTasks, ...includePaths])
  // The user's own folders win, and are few files: the built-in ones are hundreds.
  const own = includePaths.length > 0 ? [indexOnce(includePaths)] : []
  const tasks = new Set(run.asked.tasks.map(task => task.name))
  for (const name of new Set([...names.map(text => placed(text, cwd)), ...tasks])) {
    for (const index of tasks.has(name) ? [...own, whole] : [whole]) {
      if (found.has(name)) break
      try {
        const { cacheDir } = options
        for (const task of await resolveTasks([name], { includePaths, cacheDir, access, index, emit: ignore }))
          found.set(task.name, task)
      } catch (error) {
        // Not here is no fault: what came with the run is used then, and said.
        if (!(error instanceof PipelineError) || error.code !== 'usage') throw error
      }
    }
  }
  return found
}

function indexOnce(folders: readonly string[]): () => TaskIndex {
  let known: TaskIndex | undefined
  return () => (known ??= indexTasks(folders))
}

const ignore = (): void => undefined

/** A relative path of a task is meant from where the run was started. */
function placed(name: string, cwd: unknown): string {
  return typeof cwd === 'string' && /^\.{0,2}[/\\]|^\.\.?$/.test(name) && !name.startsWith('/')
    ? `${cwd}/${name}`
    : name
}

/**
 * The records whose doc has another target, choices or fields now than when the run was made. A doc that would be asked
 * otherwise now keeps its record, since its answer is one to the old question.
 */
async function revisedRecords(
  store: Store,
  run: Run,
  parts: {
    readonly index: number
    readonly task: Task
    readonly stored: StoredScoring | undefined
    readonly prompting: Prompting
    readonly emit: Hooks['emit']
  },
): Promise<readonly Revision[]> {
  const { index: taskIndex, task, stored, prompting, emit } = parts
  let source: string | undefined
  try {
    source = scoringOf(task, await dataOf(task, prompting, store)).records
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    emit({ type: 'note', text: `the dataset of ${task.name} is not here: its targets are those of the run` })
    return []
  }
  if (source === stored?.records) return []
  const revisions: Revision[] = []
  let otherwise = 0
  const now = readRecords({ store, task, selection: selectionOf(run), prompting })[Symbol.asyncIterator]()
  let next = await now.next()
  for await (const sample of store.samples(run)) {
    if (sample.task !== taskIndex) continue
    while (next.done !== true && next.value.index < sample.index) next = await now.next()
    if (next.done === true || next.value.index !== sample.index) continue
    const { record, inputs } = next.value
    if (!asksTheSame(sample, inputs)) otherwise += 1
    else if (judgeRecordKey(record).key !== judgeRecordKey(sample.record).key)
      revisions.push({ index: sample.index, record })
  }
  if (otherwise > 0)
    emit({
      type: 'note',
      text: `${otherwise} docs of ${task.name} would be asked otherwise now: they keep their old targets. Start the line again to ask them.`,
    })
  return revisions
}

function asksTheSame(sample: Sample, inputs: readonly Input[]): boolean {
  const asked = sample.items.flatMap(({ request, choice }, place) =>
    request === undefined || sample.items[place - 1]?.choice === choice ? [] : [questionKey(request.input)],
  )
  return asked.length === inputs.length && inputs.every((input, index) => questionKey(input) === asked[index])
}

/** Of what is asked first: the code that asks on, and tools, are not looked at. */
const questionKey = ({ type, messages, continuation }: Input): string =>
  inputKey({ type, messages, ...(continuation === undefined ? {} : { continuation }) }).key
