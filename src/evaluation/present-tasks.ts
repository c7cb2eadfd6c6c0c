import { existsSync } from 'node:fs'
import { PipelineError } from '../../base/errors/errors.js'
import type { Run } from '../../cache/records.js'
import { builtinTasks, resolveTasks } from '../../stages/input/tasks/resolve-tasks.js'
import { indexFolders, type TaskIndex } from '../../stages/input/tasks/task-index.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { dataAccess } from './data-access.js'
import type { Hooks, RejudgeSettings } from './settings.js'
import { usePython } from './use-python.js'

/** Reads the current files of a run's tasks; tasks without files are left out. A task with mistakes is rejected. */
export async function presentTasks(
  run: Run,
  options: { readonly settings: RejudgeSettings; readonly cacheDir: string; readonly emit: Hooks['emit'] },
): Promise<ReadonlyMap<string, Task>> {
  const { tasks: names = [], include_path: folders = [], cwd } = run.provenance.config
  const includePaths = [...folders, ...options.settings.includePaths].filter(existsSync)
  usePython({ includePaths })
  // Judging downloads nothing: only cached data is read, at the run's commits.
  const access = dataAccess(process.env, { storeDir: options.settings.store, emit: ignore, run, isOffline: true })
  const found = new Map<string, Task>()
  const whole = indexOnce([builtinTasks, ...includePaths], options)
  // The user's folders have precedence and few files; the built-in ones have hundreds.
  const own = includePaths.length > 0 ? [indexOnce(includePaths, options)] : []
  const tasks = new Set(run.asked.tasks.map(task => task.name))
  const { values } = options.settings
  if (values !== undefined) {
    const { cacheDir } = options
    const given = { cacheDir, access, index: whole, values: values.tasks, emit: ignore }
    for (const task of await resolveTasks([...values.tasks.keys()], given)) found.set(task.name, task)
  }
  for (const name of new Set([...names.map(text => placed(text, cwd)), ...tasks])) {
    for (const index of tasks.has(name) ? [...own, whole] : [whole]) {
      if (found.has(taskOf(name))) break
      try {
        const { cacheDir } = options
        for (const task of await resolveTasks([name], { includePaths, cacheDir, access, index, emit: ignore }))
          found.set(task.name, task)
      } catch (error) {
        // A missing task is no mistake: the rules that came with the run are used, with a note.
        if (!(error instanceof PipelineError) || error.code !== 'usage') throw error
      }
    }
  }
  return found
}

function indexOnce(folders: readonly string[], { cacheDir }: { readonly cacheDir: string }): () => Promise<TaskIndex> {
  let known: Promise<TaskIndex> | undefined
  return () => (known ??= indexFolders(folders, { cacheDir }))
}

/** The name of a task, where it is named with the file of code that exports it. */
const taskOf = (name: string): string => /\.[cm]?[jt]s#(.+)$/.exec(name)?.[1] ?? name

const ignore = (): void => undefined

/** Runs of older versions have relative paths, from where they were started. */
function placed(name: string, cwd: string | undefined): string {
  return cwd !== undefined && /^\.{0,2}[/\\]|^\.\.?$/.test(name) && !name.startsWith('/') ? `${cwd}/${name}` : name
}
