import { existsSync } from 'node:fs'
import { PipelineError } from '../../../base/errors/errors.js'
import type { CodeOptions } from '../../../cache/code/code-runtime.js'
import { findWorkFolder } from '../../../cache/location.js'
import type { Run } from '../../../cache/records.js'
import { builtinTasks, resolveTasks } from '../../../stages/input/tasks/resolve-tasks.js'
import { indexFolders, type TaskIndex } from '../../../stages/input/tasks/finding/task-index.js'
import type { Task } from '../../../stages/input/tasks/task.js'
import { dataAccess } from '../data-access.js'
import { withReasoningTags } from './reasoning-tags.js'
import { taskOverrides } from '../../config/values/task-overrides.js'
import type { RejudgeSettings } from '../../config/settings.js'

/** Reads the current files of a run's tasks; tasks without files are left out. A task with mistakes is rejected. */
export async function presentTasks(
  run: Run,
  options: CodeOptions & { readonly settings: RejudgeSettings },
): Promise<ReadonlyMap<string, Task>> {
  const { tasks: names = [], cwd, override } = run.provenance.config
  const { data: overrides } = taskOverrides.file.safeParse(override)
  const { cacheDir, runtime, settings } = options
  const includePaths = taskFolders(run, settings)
  // Judging downloads nothing: only cached data is read, at the run's commits.
  const access = dataAccess(settings.env, {
    workFolder: findWorkFolder(settings.store),
    emit: ignore,
    run,
    isOffline: true,
  })
  const found = new Map<string, Task>()
  const whole = indexOnce([builtinTasks, ...includePaths], options)
  // The user's folders have precedence and few files; the built-in ones have hundreds.
  const own = includePaths.length > 0 ? [indexOnce(includePaths, options)] : []
  const tasks = new Set(run.asked.tasks.map(task => task.name))
  const { values } = settings
  if (values !== undefined) {
    const given = { cacheDir, runtime, access, index: whole, overrides, values: values.tasks, emit: ignore }
    for (const task of await resolveTasks([...values.tasks.keys()], given)) found.set(task.name, task)
  }
  for (const name of new Set([...names.map(text => resolveName(text, cwd)), ...tasks])) {
    for (const index of tasks.has(name) ? [...own, whole] : [whole]) {
      if (found.has(extractTaskName(name))) break
      try {
        for (const task of await resolveTasks([name], {
          includePaths,
          overrides,
          cacheDir,
          runtime,
          access,
          index,
          emit: ignore,
        }))
          found.set(task.name, task)
      } catch (error) {
        // A missing task is no mistake. The rules stored with the run are used, with a note.
        if (!(error instanceof PipelineError) || error.code !== 'usage') throw error
      }
    }
  }
  const { reasoning_tags: tags } = run.provenance.config
  return new Map([...found].map(([name, task]) => [name, withReasoningTags(task, tags)]))
}

/** Lists the task folders of the run and of the settings. */
export const taskFolders = (
  { provenance }: Pick<Run, 'provenance'>,
  { includePaths }: Pick<RejudgeSettings, 'includePaths'>,
): readonly string[] => [...(provenance.config.include_path ?? []), ...includePaths].filter(existsSync)

function indexOnce(folders: readonly string[], { cacheDir }: { readonly cacheDir: string }): () => Promise<TaskIndex> {
  let known: Promise<TaskIndex> | undefined
  return () => (known ??= indexFolders(folders, { cacheDir }))
}

/** Extracts the task's name from `FILE#NAME`. */
const extractTaskName = (name: string): string => /\.[cm]?[jt]s#(.+)$/.exec(name)?.[1] ?? name

const ignore = (): void => undefined

/** Resolves a task's path. Runs of older versions stored paths relative to their working directory. */
function resolveName(name: string, cwd: string | undefined): string {
  return cwd !== undefined && /^\.{0,2}[/\\]|^\.\.?$/.test(name) && !name.startsWith('/') ? `${cwd}/${name}` : name
}
