import { canonicalJson } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { ownValue } from '../../base/values/named-values.js'
import { sha256 } from '../../cache/digest.js'
import type { CodeRuntime, CodeOptions } from '../../cache/code/code-runtime.js'
import { judgeRecordKey } from '../../cache/keys.js'
import type { DatasetIdentity, Run, StoredScoring } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { Task } from '../../stages/input/tasks/task.js'
import type { Scorer } from '../../stages/judge/scorer.js'
import { codeFolder, findWorkFolder } from '../../cache/location.js'
import { makePriceReader, modelPrice } from '../cost/model-price.js'
import { makePrompting } from '../evaluation/prompting.js'
import type { Hooks, RejudgeSettings } from '../config/settings.js'
import type { Plugins } from '../model/plugins.js'
import type { Judges } from '../judging/judges.js'
import { lastScoring, revisedRecords, type LastScoring, type Revision } from './revised-records.js'
import { makeTaskScorer, makeStoredScoring, scoringOptions } from '../judging/scoring.js'
import { existsSync } from 'node:fs'
import { builtinTasks, resolveTasks } from '../../stages/input/tasks/resolve-tasks.js'
import { indexFolders, type TaskIndex } from '../../stages/input/tasks/finding/task-index.js'
import { dataAccess } from '../evaluation/data-access.js'
import { withReasoningTags } from '../evaluation/tasks/reasoning-tags.js'
import { parities } from '../../stages/judge/define/parity.js'
import { taskOverrides } from '../config/values/task-overrides.js'

/** One task of a run, ready to be judged. */
interface TaskToJudge {
  readonly scorer: Scorer
  readonly revisions: readonly Revision[]
}

interface TasksToJudgeOptions {
  readonly settings: RejudgeSettings
  readonly plugins: Plugins
  /** True if the run was just imported from a bundle. */
  readonly isForeign: boolean
  readonly emit: Hooks['emit']
  readonly judges: Judges | undefined
  readonly runtime: CodeRuntime
  /** The tasks with files, in their current form. @default they are read */
  readonly present?: ReadonlyMap<string, Task>
}

/**
 * Reads the scoring rules of each task of a run: from its current files, or else as stored with the run.
 *
 * @throws PipelineError if a task has neither files nor stored rules, or its code may not run
 */
export async function tasksToJudge(
  store: Store,
  run: Run,
  options: TasksToJudgeOptions,
): Promise<readonly TaskToJudge[]> {
  const { settings, plugins, emit, judges, runtime } = options
  const cacheDir = codeFolder(store.workFolder)
  const scoring = {
    ...scoringOptions(settings, { store, cacheDir, runtime, exported: plugins.exports, emit, judges }),
    price: makePriceReader(run.asked.model, async () => (await modelPrice(run, settings.prices)).read()),
  }
  const present = options.present ?? (await presentTasks(run, { settings, cacheDir, runtime }))
  const prompting = makePrompting(run.asked.selection, run.asked.model.backend, plugins)
  return Promise.all(
    run.asked.tasks.map(async ({ name }, index) => {
      const stored = ownValue(run.provenance.scoring, name)
      const task = present.get(name)
      if (task === undefined) {
        const last = await storedRules(store, run, { index, name, stored }, options)
        const scorer = await makeTaskScorer(name, last.scoring, { ...scoring, ...digestRevisions(last.revisions) })
        return { scorer, revisions: last.revisions }
      }
      const revisions = await revisedRecords(store, run, { index, task, stored, prompting, emit })
      const taskFunctions = task.functions === undefined ? {} : { functions: task.functions }
      const rules = { ...scoring, ...taskFunctions, locate: task.at.bind(task), ...digestRevisions(revisions) }
      return { scorer: await makeTaskScorer(name, makeStoredScoring(task, noDataset), rules), revisions }
    }),
  )
}

const noDataset: DatasetIdentity = { path: '', files: {} }

/** Reads the rules stored with the run, for a task without files. */
async function storedRules(
  store: Store,
  run: Run,
  {
    index,
    name,
    stored,
  }: { readonly index: number; readonly name: string; readonly stored: StoredScoring | undefined },
  options: TasksToJudgeOptions,
): Promise<LastScoring> {
  const { emit } = options
  if (stored === undefined)
    throw new PipelineError(
      'config',
      `no task "${name}" is here, and run ${run.name} does not say how it is scored. Give its folder with ${option('includePaths')}.`,
    )
  refuseUntrustedCode(name, stored, options)
  const last = await lastScoring(store, run, { index, stored })
  emit({ type: 'note', text: `task ${name} is not here: scored by the rules that came with the run` })
  if (last.isOutdated)
    emit({
      type: 'note',
      text: `${name} was scored since by newer code, which did not come with the run: give its folder with ${option('includePaths')} to use that`,
    })
  return last
}

const digestRevisions = (revisions: readonly Revision[]): { readonly revised?: string } =>
  revisions.length === 0
    ? {}
    : { revised: sha256(canonicalJson(revisions.map(({ index, record }) => [index, judgeRecordKey(record).key]))) }

/** Rejects groups with code from a bundle unless `--trust-bundle` is set. @throws PipelineError */
export function refuseUntrustedGroups(
  { provenance: { groups = {} } }: Run,
  { settings, isForeign }: { readonly settings: RejudgeSettings; readonly isForeign: boolean },
): void {
  if (!isForeign || settings.trustBundle) return
  const groupsWithCode = Object.keys(groups).filter(name =>
    Object.values(ownValue(groups, name)?.code ?? {}).some(code => !('builtin' in code)),
  )
  if (groupsWithCode.length === 0) return
  throw new PipelineError(
    'config',
    `group ${groupsWithCode.join(', ')} is scored by code of its own, which came with the run: run it with ${option('trustBundle')}.`,
  )
}

/** Rejects code from a bundle unless `--trust-bundle` is set. */
function refuseUntrustedCode(
  name: string,
  stored: StoredScoring,
  { settings, isForeign }: { readonly settings: RejudgeSettings; readonly isForeign: boolean },
): void {
  const isUsers = Object.values(stored.code ?? {}).some(code => !('builtin' in code))
  if (!isUsers || settings.trustBundle) return
  if (!isForeign && stored.closure === undefined) return
  throw new PipelineError(
    'config',
    `task ${name} is scored by code of its own, which is not here. Give its folder with ${option('includePaths')}, or run the code that came with the run with ${option('trustBundle')}.`,
  )
}

/** Reads the current files of a run's tasks; tasks without files are left out. A task with mistakes is rejected. */
export async function presentTasks(
  run: Run,
  options: CodeOptions & { readonly settings: RejudgeSettings },
): Promise<ReadonlyMap<string, Task>> {
  const { tasks: names = [], cwd, override, parity: madeWith } = run.provenance.config
  const { data: overrides } = taskOverrides.file.safeParse(override)
  // The run's docs are those of its own parity, even if its scores get another.
  const parity = parities.find(program => program === madeWith)
  const { cacheDir, runtime, settings } = options
  const includePaths = taskFolders(run, settings)
  // Judging downloads nothing: only cached data is read, at the run's commits.
  const access = dataAccess(settings.env, {
    workFolder: findWorkFolder(settings.store),
    emit: ignore,
    run,
    isOffline: true,
  })
  const taskByName = new Map<string, Task>()
  const whole = indexOnce([builtinTasks, ...includePaths], options)
  // The user's folders have precedence and few files; the built-in ones have hundreds.
  const usersIndexes = includePaths.length > 0 ? [indexOnce(includePaths, options)] : []
  const tasks = new Set(run.asked.tasks.map(task => task.name))
  const { values } = settings
  if (values !== undefined) {
    const valueOptions = {
      cacheDir,
      runtime,
      access,
      index: whole,
      overrides,
      parity,
      values: values.tasks,
      emit: ignore,
    }
    for (const task of await resolveTasks([...values.tasks.keys()], valueOptions)) taskByName.set(task.name, task)
  }
  for (const name of new Set([...names.map(text => resolveName(text, cwd)), ...tasks])) {
    for (const index of tasks.has(name) ? [...usersIndexes, whole] : [whole]) {
      if (taskByName.has(extractTaskName(name))) break
      try {
        for (const task of await resolveTasks([name], {
          includePaths,
          overrides,
          parity,
          cacheDir,
          runtime,
          access,
          index,
          emit: ignore,
        }))
          taskByName.set(task.name, task)
      } catch (error) {
        // A missing task is no mistake. The rules stored with the run are used, with a note.
        if (!(error instanceof PipelineError) || error.code !== 'usage') throw error
      }
    }
  }
  const { reasoning_tags: tags } = run.provenance.config
  return new Map([...taskByName].map(([name, task]) => [name, withReasoningTags(task, tags)]))
}

/** Lists the task folders of the run and of the settings. */
export const taskFolders = (
  { provenance }: Pick<Run, 'provenance'>,
  { includePaths }: Pick<RejudgeSettings, 'includePaths'>,
): readonly string[] => [...(provenance.config.include_path ?? []), ...includePaths].filter(existsSync)

function indexOnce(folders: readonly string[], { cacheDir }: { readonly cacheDir: string }): () => Promise<TaskIndex> {
  let index: Promise<TaskIndex> | undefined
  return () => (index ??= indexFolders(folders, { cacheDir }))
}

/** Extracts the task's name from `FILE#NAME`. */
const extractTaskName = (name: string): string => /\.[cm]?[jt]s#(.+)$/.exec(name)?.[1] ?? name

const ignore = (): void => undefined

/** Resolves a task's path. Runs of older versions stored paths relative to their working directory. */
function resolveName(name: string, cwd: string | undefined): string {
  return cwd !== undefined && /^\.{0,2}[/\\]|^\.\.?$/.test(name) && !name.startsWith('/') ? `${cwd}/${name}` : name
}
