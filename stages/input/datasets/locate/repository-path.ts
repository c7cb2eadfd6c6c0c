import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const prefix = 'lmms_eval/tasks/'

/**
 * Resolves paths that lmms-eval's tasks write relative to the root of its repository, such as `lmms_eval/tasks/tau2_bench/data/x.jsonl`. Such a path
 * is searched in the `lmms_eval` folder around the task, or beside it. Every other path is returned unchanged.
 *
 * @param folder the folder for relative paths
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
