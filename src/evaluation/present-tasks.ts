import { existsSync } from 'node:fs'
import { PipelineError } from '../../base/errors.js'
import type { Run } from '../../cache/records.js'
import { builtinTasks, resolveTasks } from '../../stages/input/tasks/resolve-tasks.js'
import { indexTasks, type TaskIndex } from '../../stages/input/tasks/task-index.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { dataAccess } from './data-access.js'
import type { Hooks, RejudgeSettings } from './settings.js'

/** The run's tasks as they are now, as far as they are here. A task that is here and wrong is refused. */
export async function presentTasks(
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
