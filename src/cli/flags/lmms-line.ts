import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { variable } from '../../config/variables.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { ownValue } from '../../../base/values/named-values.js'

/**
 * Extracts the arguments of an lmms-eval command line after `pipeline lmms --`. The words that start it are dropped: `python -m lmms_eval`,
 * `accelerate launch … -m lmms_eval`, `lmms-eval`. If no task folder is named, the installed lmms-eval's is added.
 *
 * @param args the words after `lmms`
 */
export function lmmsLine(args: readonly string[], env: Readonly<Record<string, string | undefined>>): string[] {
  const line = args[0] === '--' ? args.slice(1) : args
  const start = line.findIndex(word => /^(lmms[-_]eval|.*\/lmms-eval)$/.test(word))
  const words = start < 0 ? line : line.slice(start + 1)
  const own = words[0] === 'eval' ? words.slice(1) : words
  if (own[0] === 'power' || own.some(isPowerFlag)) return powerLine(own)
  refuseSubcommand(own)
  const isTold = own.some(word => /^--include[-_]path(=|$)/.test(word))
  const folder = isTold ? undefined : installedTasks(variable(env, 'PIPELINE_PYTHON') ?? 'python3')
  return ['eval', ...own, ...(folder === undefined ? [] : ['--include-path', folder])]
}

/** The lines of this program for subcommands of lmms-eval 0.7.2 (lmms_eval/cli), which are no evaluations. */
const subcommands: Readonly<Record<string, string>> = {
  tasks: 'pipeline tasks list   (or groups, subtasks, tags)',
  models: 'pipeline models list   (lists aliases, too; models that lmms-eval loads itself: docs/models/python.md)',
  serve: 'pipeline serve',
  mcp: 'pipeline mcp',
  ui: 'pipeline ui',
  tui: 'pipeline runs watch   (or, in a browser: pipeline ui)',
  version: 'pipeline version',
}

const isPowerFlag = (word: string): boolean => /^--power[-_]analysis$/.test(word)

/** The flags of an evaluation of lmms-eval that its power analysis reads. */
const powerFlags = /^--(effect[-_]size|alpha|power|correlation|std[-_][ab]|tasks|include[-_]path|verbosity)(=|$)/

/** The line of lmms-eval's power analysis, which reads no other flags of an evaluation. */
function powerLine(own: readonly string[]): string[] {
  const isSubcommand = own[0] === 'power'
  const words = isSubcommand ? own.slice(1) : own
  const powerWords = words.filter((word, i) => {
    if (isSubcommand || powerFlags.test(word)) return true
    const before = words[i - 1] ?? ''
    return !word.startsWith('--') && powerFlags.test(before) && !before.includes('=')
  })
  return ['power', '--parity', 'lmms-eval', ...powerWords]
}

/** @throws PipelineError with the line of this program */
function refuseSubcommand([word = '']: readonly string[]): void {
  const line = ownValue(subcommands, word)
  if (line === undefined) return
  throw new PipelineError(
    'usage',
    `lmms-eval ${word} is no evaluation, and not taken for one. The command here: ${line}`,
  )
}

/** The folder of tasks of the lmms-eval that this Python has; undefined if it has none. */
function installedTasks(python: string): string | undefined {
  const code = 'import importlib.util as u; print(u.find_spec("lmms_eval").submodule_search_locations[0])'
  const child = spawnSync(python, ['-c', code], { encoding: 'utf8', timeout: 30_000 })
  const folder = child.status === 0 ? child.stdout.trim() : ''
  return folder === '' ? undefined : join(folder, 'tasks')
}
