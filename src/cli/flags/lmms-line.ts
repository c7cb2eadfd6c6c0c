import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * The words of lmms-eval's command line after `pipeline lmms --`, without those that start it: `python -m lmms_eval`,
 * `accelerate launch … -m lmms_eval`, `lmms-eval`. If no folder of tasks is named, that of the installed lmms-eval is.
 *
 * @param args the words after `lmms`
 */
export function lmmsLine(args: readonly string[], env: Readonly<Record<string, string | undefined>>): string[] {
  const line = args[0] === '--' ? args.slice(1) : args
  const start = line.findIndex(word => /^(lmms[-_]eval|.*\/lmms-eval)$/.test(word))
  const words = start < 0 ? line : line.slice(start + 1)
  const own = words[0] === 'eval' ? words.slice(1) : words
  const isTold = own.some(word => /^--include[-_]path(=|$)/.test(word))
  const folder = isTold ? undefined : installedTasks(env['PIPELINE_PYTHON'] ?? 'python3')
  return ['eval', ...own, ...(folder === undefined ? [] : ['--include-path', folder])]
}

/** The folder of tasks of the lmms-eval that this Python has; undefined if it has none. */
function installedTasks(python: string): string | undefined {
  const code = 'import importlib.util as u; print(u.find_spec("lmms_eval").submodule_search_locations[0])'
  const found = spawnSync(python, ['-c', code], { encoding: 'utf8', timeout: 30_000 })
  const folder = found.status === 0 ? found.stdout.trim() : ''
  return folder === '' ? undefined : join(folder, 'tasks')
}
