import { resolveLocation } from '../../../../cache/location.js'
import type { Hooks } from '../../../config/settings.js'
import { secretTexts } from '../../../config/secrets.js'
import { resumedSettings } from '../../../config/stored/stored-settings.js'
import { appendText, decimalNumber, wholeNumber } from '../../../config/values/option-values.js'
import { recheckRun } from '../../../evaluation/recheck.js'
import { formatRecheck } from '../../../present/text/recheck-lines.js'
import type { DefineCommand } from '../../command.js'
import { exitCode } from '../../exit-code.js'
import {
  withExtensions,
  withOutput,
  withRunning,
  withStore,
  type EvaluationFlags,
} from '../../flags/evaluation-options.js'
import { listenForInterruption } from '../../this-process/interruption.js'
import { locateStore, openRun, storeDir, withOpenStore } from '../../open-run.js'

interface RecheckFlags extends EvaluationFlags {
  readonly k?: number
  readonly seed?: number
  readonly tolerance?: number
}

const help = `
Examples:
  pipeline recheck last
  pipeline recheck calm-heron-19c2 --k 200 --seed 7

It sends requests. The old answers stay; the new ones are a run of their own with the tag "recheck of RUN".
After Ctrl-C, the same command sends the rest.
Exit codes: 0 no change was found; 1 refused; 2 some requests have no answer; 4 the model changed; 130 interrupted.`

const share = { expected: 'a number between 0 and 1', isValid: (value: number) => value > 0 && value < 1 }

export const defineRecheck: DefineCommand = (command, tools, end) =>
  void withOutput(withRunning(withExtensions(withStore(command))))
    .argument('<run>', 'name, end of its id, or last')
    .option(
      '--k <docs>',
      'number of docs to send again, at least one of each task (50)',
      wholeNumber('--k', { min: 1 }),
    )
    .option('--seed <n>', 'seed of the choice of docs (0)', wholeNumber('--seed', { min: 0 }))
    .option(
      '--tolerance <share>',
      'expected share of equal answers, unless repeats or an earlier recheck tell it (0.9)',
      decimalNumber('--tolerance', share),
    )
    .option('--model-args <args>', 'arguments that are not stored (api_key=…) or do not change answers', appendText)
    .addHelpText('after', help)
    .action(async (reference: string, { k, seed, tolerance, ...flags }: RecheckFlags) => {
      const interruption = listenForInterruption(
        line => tools.terminal.tell(line),
        () => 0,
        tools.leave,
      )
      const location = { ...locateStore(flags, tools, interruption), dir: resolveLocation(storeDir(flags, tools)) }
      try {
        const recheck = await withOpenStore(location, 'change', async store => {
          const { run } = await openRun(store, reference)
          const settings = resumedSettings(run, { ...flags, store: location.dir }, tools.env)
          tools.terminal.mask(secretTexts(settings.modelArgs))
          const emit: Hooks['emit'] = event => {
            if (event.type === 'note' && flags.quiet !== true) tools.terminal.tell(event.text)
          }
          const hooks = { emit, drain: interruption.drain, stop: interruption.stop }
          return recheckRun(store, run, { settings, hooks, count: k, seed, tolerance })
        })
        if (flags.json === true) tools.terminal.printData(JSON.stringify({ format: 1, ...recheck }, undefined, 2))
        else tools.terminal.print(formatRecheck(recheck, tools.terminal.paint.out))
        end(exitCode({ failed: recheck.unanswered, isGateFailed: recheck.isChanged }))
      } catch (error) {
        if (!interruption.drain.aborted || error !== interruption.drain.reason) throw error
        tools.terminal.tell(
          'interrupted, without a decision. The answers are kept, and the same command sends the remaining requests within a day.',
        )
        end(exitCode({ isInterrupted: true }))
      } finally {
        interruption.release()
      }
    })
