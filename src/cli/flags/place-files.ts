import { existsSync, readFileSync } from 'node:fs'
import { PipelineError } from '../../../base/errors/errors.js'
import type { EvaluationFlags } from './evaluation-options.js'
import { parse } from 'yaml'
import { isObject, type Json } from '../../../base/values/canonical-json.js'

/** A folder beside the others is no name of a task. */
const formatPath = (file: string): string => (existsSync(file) && !file.includes('/') ? `./${file}` : file)

/** A word with such an ending is a file, which must be there. A module can name one of its tasks after a #. */
function refuseMissing(files: readonly string[]): void {
  const missing = files.find(file => /\.(?:ya?ml|json|[cm]?[jt]s)$/.test(file) && !existsSync(file))
  if (missing !== undefined) throw new PipelineError('usage', `${missing}: there is no such file`)
}

/**
 * Adds the files that stand on a line without a flag. The first one is the configuration if it is a YAML file with a model or a list of runs, and everything
 * else is a task.
 */
export function placeFiles<Flags extends EvaluationFlags>(files: readonly string[], flags: Flags): Flags {
  refuseMissing(files)
  const [first, ...rest] = files
  const config = first !== undefined && flags.config === undefined && isConfigFile(first) ? first : undefined
  const tasks = (config === undefined ? files : rest).map(formatPath)
  return {
    ...flags,
    ...(config !== undefined && { config }),
    ...(tasks.length > 0 && { tasks: [...(flags.tasks ?? []), ...tasks] }),
  }
}

/** Tells whether a YAML file is a configuration of evaluations: it names a model, models or runs, and is no task. */
function isConfigFile(path: string): boolean {
  if (!/\.ya?ml$/.test(path)) return false
  try {
    const content = parse(readFileSync(path, 'utf8'), { logLevel: 'silent' }) as Json
    if (!isObject(content)) return false
    return ['model', 'models', 'runs', 'tasks', 'extends'].some(key => key in content) && !('dataset_path' in content)
  } catch {
    // Reading the file reports its mistakes.
    return false
  }
}
