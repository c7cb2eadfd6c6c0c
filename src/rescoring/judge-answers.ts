import { basename, extname, resolve } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { present } from '../../base/values/present.js'
import { codeFolder } from '../../cache/location.js'
import type { CodeRuntime } from '../../cache/code/code-runtime.js'
import type { ImportOutcome, PortableStore } from '../../cache/bundle/portable.js'
import type { StoredConfig } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { Json } from '../../base/values/canonical-json.js'
import { hasIndex } from '../../stages/input/selection/doc-range.js'
import { refuseUnknownDocs } from '../../stages/input/selection/named-docs.js'
import { docNames } from '../../stages/input/doc-names.js'
import { readRecords } from '../../stages/input/read-records.js'
import { prepareTask } from '../../stages/input/prepare-task.js'
import { computeDocRange, selectionProblems, type Selection } from '../../stages/input/selection/selection.js'
import { resolveSelection } from '../../stages/input/tasks/resolve-tasks.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { isTaskPath } from '../config/stored/stored-paths.js'
import { hidingHooks, hidingSecrets, withHiddenErrors } from '../config/hidden-secrets.js'
import type { EvalOutcome, Hooks, RejudgeSettings } from '../config/settings.js'
import { withRuntime } from '../evaluation/code-runtime.js'
import { dataAccess } from '../evaluation/data-access.js'
import { computeDataIdentity } from '../evaluation/plan.js'
import { askedGroups, groupCode } from '../evaluation/tasks/task-groups.js'
import { waitingBy, withOpenStoreAt } from '../evaluation/with-store.js'
import { readAnswerRows, type AnswerColumns } from '../exchange/answers/answer-rows.js'
import { makeAnswersLog, type AnsweredTask } from '../exchange/answers/answers-log.js'
import type { RunGroups } from '../exchange/foreign-log.js'
import { landLog } from '../exchange/land-log.js'
import { makeStoredScoring, makeTaskScorer } from '../judging/scoring.js'
import { loadPlugins } from '../model/plugins.js'
import { rejudge } from './rejudge.js'

/** Settings to score answers that were made elsewhere. */
export interface JudgeAnswersSettings extends Omit<RejudgeSettings, 'run' | 'trustBundle'> {
  /** A file with a JSON object a line: the name of a doc, and an answer. */
  readonly answers: string
  readonly tasks: readonly string[]
  readonly columns: Partial<AnswerColumns>
  /** Selects the docs that are scored. @default all docs */
  readonly selection?: Pick<Selection, 'limit' | 'docs'>
  /** The name of the model that answered. @default the file's name */
  readonly modelName?: string
}

/**
 * Stores answers that were made elsewhere as a run, and scores it. The same file makes the same run. Docs without an answer are
 * failures of the run; notes tell them, and ids that no doc has.
 *
 * @throws PipelineError if the file, a task, or an id is wrong; the store is then as before
 */
export async function judgeAnswers(settings: JudgeAnswersSettings, hooks: Hooks): Promise<EvalOutcome> {
  const hide = hidingSecrets(settings)
  const { run, isNew } = await withHiddenErrors(hide, () => landAnswers(settings, hidingHooks(hooks, hide)))
  const outcome = await rejudge(
    { ...settings, run: run.name, trustBundle: false },
    { ...hooks, onRun: (judgedRun, _, counts) => hooks.onRun?.(judgedRun, isNew, counts) },
  )
  return { ...outcome, isNew }
}

/** Returns the run that the answers became. */
async function landAnswers(
  settings: JudgeAnswersSettings,
  hooks: Hooks,
): Promise<Pick<ImportOutcome, 'run' | 'isNew'>> {
  const { answers: file, tasks: names, columns, modelName } = settings
  if (names.length === 0)
    throw new PipelineError(
      'usage',
      `${option('answers')}: name the tasks that the answers belong to with ${option('tasks')}`,
    )
  const answers = await readAnswerRows(file, columns)
  const config: StoredConfig = {
    tasks: names.map(name => (isTaskPath(name) ? resolve(name) : name)),
    cwd: process.cwd(),
    ...(settings.includePaths.length > 0 && { include_path: settings.includePaths.map(folder => resolve(folder)) }),
    ...present({ model_name: modelName, parity: settings.parity }),
  }
  return withOpenStoreAt(settings.store, { waiting: waitingBy(hooks) }, store =>
    withRuntime(settings, async runtime => {
      const { tasks, groups } = await readTasks(store, settings, { runtime, hooks })
      const model = modelName ?? basename(file, extname(file))
      const { log, notes } = await makeAnswersLog(file, answers, { tasks, model, config, groups })
      const [landed] = await landLog(store, log)
      if (landed === undefined) throw new Error('internal error: the answers made no run')
      for (const text of notes) hooks.emit({ type: 'note', text })
      return landed.outcome
    }),
  )
}

async function readTasks(
  store: Store & PortableStore,
  settings: JudgeAnswersSettings,
  { runtime, hooks }: { readonly runtime: CodeRuntime; readonly hooks: Hooks },
): Promise<{ readonly tasks: readonly AnsweredTask[]; readonly groups?: RunGroups }> {
  const { tasks: names, includePaths, env, values, parity, selection = {} } = settings
  const { emit, drain } = hooks
  const { tasks, groups } = await resolveSelection(names, {
    includePaths,
    parity,
    cacheDir: codeFolder(store.workFolder),
    runtime,
    access: dataAccess(env, { workFolder: store.workFolder, emit, signal: drain }),
    emit,
    ...(values && { values: values.tasks }),
  })
  const problems = selectionProblems(
    selection,
    tasks.map(({ name }) => name),
  )
  if (problems.length > 0) throw new PipelineError('usage', problems)
  if (selection.docs !== undefined)
    await refuseUnknownDocs(selection.docs, await Promise.all(tasks.map(task => prepareTask(task))))
  await checkRules(store, tasks, settings, runtime)
  const { groups: asked } = askedGroups(groups)
  const { groups: code = {} } = groupCode(groups)
  return {
    tasks: await Promise.all(tasks.map(task => makeAnsweredTask(store, task, selection))),
    ...(asked !== undefined && { groups: { asked, code } }),
  }
}

/** Compiles the rules of tasks, so that a mistake in them is found before answers are stored. @throws PipelineError */
async function checkRules(
  store: Store,
  tasks: readonly Task[],
  settings: JudgeAnswersSettings,
  runtime: CodeRuntime,
): Promise<void> {
  const cacheDir = codeFolder(store.workFolder)
  const { exports: exported } = await loadPlugins(settings.plugins, { cacheDir })
  const options = { cacheDir, runtime, exported, media: store.media, ...present({ parity: settings.parity }) }
  await Promise.all(
    tasks.map(task =>
      makeTaskScorer(task.name, makeStoredScoring(task, { path: '', files: {} }), {
        ...options,
        ...present({ functions: task.functions }),
        locate: task.at.bind(task),
      }),
    ),
  )
}

async function makeAnsweredTask(
  store: Store,
  task: Task,
  selection: NonNullable<JudgeAnswersSettings['selection']>,
): Promise<AnsweredTask> {
  const dataset = await computeDataIdentity(task, {}, store)
  return {
    name: task.name,
    identity: task.identity.key,
    scoring: makeStoredScoring(task, dataset),
    dataset,
    async *names() {
      const nameOf = docNames()
      let index = 0
      for await (const doc of (await prepareTask(task)).docs(() => false)) {
        yield { id: nameOf(doc, index), index }
        index++
      }
    },
    async select() {
      const range = await computeDocRange(selection, await prepareTask(task), task.name)
      return index => hasIndex(range, index)
    },
    docs: () => readRecords({ store, task, selection }),
    selection: JSON.parse(JSON.stringify(selection)) as Json,
  }
}
