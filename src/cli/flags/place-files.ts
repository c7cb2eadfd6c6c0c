import { existsSync } from 'node:fs'
import { isConfigFile } from '../../config/file/is-config-file.js'
import type { EvaluationFlags } from './evaluation-options.js'

/** A folder beside the others is no name of a task. */
const formatPath = (file: string): string => (existsSync(file) && !file.includes('/') ? `./${file}` : file)

/**
 * Adds the files that stand on a line without a flag. The first one is the configuration if it is a YAML file with a model or a list of runs, and everything
 * else is a task.
 */
export function placeFiles<Flags extends EvaluationFlags>(files: readonly string[], flags: Flags): Flags {
  const [first, ...rest] = files
  const config = first !== undefined && flags.config === undefined && isConfigFile(first) ? first : undefined
  const tasks = (config === undefined ? files : rest).map(formatPath)
  return {
    ...flags,
    ...(config !== undefined && { config }),
    ...(tasks.length > 0 && { tasks: [...(flags.tasks ?? []), ...tasks] }),
  }
}
