import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const prefix = 'lmms_eval/tasks/'

/**
 * Finds data files beside a task of lmms-eval. Its files name them from the root of its repository, where it is started:
 * `lmms_eval/tasks/tau2_bench/data/x.jsonl`. Such a path is sought in the folder of that name around the task, or beside
 * it. Every other path is returned unchanged.
 *
 * @param folder the folder that relative paths begin at
 */
export function fromRepository(path: string, folder: string): string {
  if (!path.startsWith(prefix) || existsSync(join(folder, path))) return path
  const [name = '', ...rest] = path.slice(prefix.length).split('/')
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    if (basename(at) === name) return join(at, ...rest)
    if (basename(at) === 'tasks' && basename(dirname(at)) === 'lmms_eval') return join(at, name, ...rest)
  }
  return path
}
