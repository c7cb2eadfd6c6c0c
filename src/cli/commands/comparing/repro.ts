import { resolveLocation } from '../../../../cache/location.js'
import { PipelineError } from '../../../../base/errors/errors.js'
import type { Run } from '../../../../cache/records.js'
import { resumedSettings } from '../../../config/stored/stored-settings.js'
import type { EvalSettings } from '../../../config/settings.js'
import { formatReproduction } from '../../../preview/reproduction-lines.js'
import { compareReproduction } from '../../../preview/reproduction.js'
import type { DefineCommand, Tools } from '../../command.js'
import { withExtensions, withOutput, withStore, type EvaluationFlags } from '../../flags/evaluation-options.js'
import { openRun, storeDir, withOpenStore } from '../../open-run.js'

const help = `
Examples:
  pipeline repro last
  pipeline repro calm-heron-19c2 --json

No request is sent. Missing data are downloaded, as for an evaluation.`

export const defineRepro: DefineCommand = (command, tools) =>
  void withOutput(withExtensions(withStore(command)))
    .argument('<run>', 'name, end of its id, or last; NAME@1 compares with its first judgement')
    .addHelpText('after', help)
    .action(async (reference: string, flags: EvaluationFlags) => {
      const store = resolveLocation(storeDir(flags, tools))
      const opened = await withOpenStore({ dir: store, terminal: tools.terminal }, 'read', openedStore =>
        openRun(openedStore, reference),
      )
      const never = new AbortController().signal
      const compared = await compareReproduction(opened, readSettings(opened.run, { ...flags, store }, tools), {
        emit: () => undefined,
        drain: never,
        stop: never,
      })
      if (flags.json === true) tools.terminal.printData(JSON.stringify({ format: 1, ...compared }, undefined, 2))
      else tools.terminal.print(formatReproduction(compared, tools.terminal.paint.out))
    })

/** A run that does not hold its configuration still has its versions to compare. */
function readSettings(run: Run, flags: EvaluationFlags, { env }: Tools): EvalSettings | PipelineError {
  try {
    return resumedSettings(run, flags, env)
  } catch (error) {
    if (error instanceof PipelineError) return error
    throw error
  }
}
