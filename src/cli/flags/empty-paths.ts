import type { Command } from 'commander'
import { PipelineError } from '../../../base/errors/errors.js'

/**
 * Rejects empty values of flags for files, folders and programs. An unset variable in a script is the usual cause. Call it before the line is parsed.
 *
 * @throws PipelineError (usage), while the line is parsed
 */
export function refuseEmptyPaths(command: Command): void {
  for (const option of command.options) {
    if (!/<(dir|file|path)>/.test(option.flags)) continue
    command.on(`option:${option.name()}`, (value: unknown) => {
      if (typeof value !== 'string' || value.trim() !== '') return
      throw new PipelineError(
        'usage',
        `${option.long ?? option.flags}: the path is empty. Give one, or leave the flag out`,
      )
    })
  }
  for (const subcommand of command.commands) refuseEmptyPaths(subcommand)
}
