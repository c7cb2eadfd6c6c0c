/** Arguments of every engine that can be started. */
import { z } from 'zod'
import { PipelineError } from '../../../../base/errors.js'
import { affectsOutput, transport } from '../../define-backend.js'

export const launchArgs = {
  executable: transport(
    z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('the program to start, in place of the one on the PATH; several words as a list'),
  ),
  engine_args: affectsOutput(
    z
      .array(z.string())
      .default([])
      .describe('further flags of the program, as one text or as a list of words: "--swap-space 8"'),
  ),
  port: transport(
    z.number().int().min(1).max(65_535).optional().describe('where it is to listen; a free port if not given'),
  ),
  startup_timeout: transport(
    z.number().positive().max(86_400).optional().describe('seconds until it must be ready (default 1800; attached 30)'),
  ),
  shutdown_timeout: transport(
    z.number().min(0).max(3600).default(10).describe('seconds that it may take to end before it is killed'),
  ),
  log_file: transport(
    z.string().min(1).optional().describe('where its output goes; a new file in logs/ of the store if not given'),
  ),
}

/** Those that say nothing to a server that runs already. */
export const startOnly = ['executable', 'engine_args', 'port', 'log_file'] as const

/** Flags that must not come by `engine_args`. */
const ownFlags: Readonly<Record<string, string>> = {
  '--port': 'give port=',
  '--server-port': 'give port=',
  '--host': 'it listens on this machine alone',
  '--server-name': 'it listens on this machine alone',
  '--api-key': 'a command line is seen by everybody: give api_key=, or set its variable',
  '--api-keys': 'a command line is seen by everybody: give api_key=, or set its variable',
}

/**
 * The words of `engine_args`: a text that begins with a flag is several.
 *
 * @throws PipelineError for flags that are the pipeline's to set.
 */
export function engineWords(given: readonly string[], engine: string): readonly string[] {
  const words = given.flatMap(text => (text.trim().startsWith('-') ? text.trim().split(/\s+/) : [text]))
  for (const word of words) {
    const [flag = ''] = word.split('=')
    const reason = ownFlags[flag]
    if (reason !== undefined)
      throw new PipelineError('config', `model ${engine}: engine_args must not set ${flag}: ${reason}`)
  }
  return words
}
