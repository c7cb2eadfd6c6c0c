import { Option, type Command } from 'commander'
import type { EvalFlags } from '../../config/eval-settings.js'
import { limitOptions } from '../../config/limits.js'
import { addFlags, type FlagsOf } from '../../config/option.js'
import { aboutOptions } from '../../config/options/about-options.js'
import { identityOptions } from '../../config/options/identity-options.js'
import { judgeOptions } from '../../config/options/judge-options.js'
import { lineOptions, lmmsOptions } from '../../config/options/line-options.js'
import { promptOptions } from '../../config/options/prompt-options.js'
import { scoringOptions } from '../../config/options/scoring-options.js'
import { batchOptions, sendingOptions } from '../../config/options/sending-options.js'
import {
  generationOptions,
  pluginOptions,
  pythonOptions,
  storeOptions,
  subjectOptions,
  taskFolderOptions,
} from '../../config/options/subject-options.js'
import { lmmsTrackOptions, trackOptions } from '../../config/options/track-options.js'
import { appendText, wholeNumber } from '../../config/values/option-values.js'
import { selectionOptions } from '../../config/values/selection.js'
import { toolOptions } from '../../config/values/tool-servers.js'
import type { AskedConditions } from '../../reading/gates/assess-run.js'
import { withHtml, type HtmlFlags } from './html-report.js'
import { withUnusedFlags } from './unused-flags.js'

/** Flags that show and write an evaluation's results. */
export interface OutputFlags extends HtmlFlags, AskedConditions {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly outputPath?: string
  readonly logSamples?: boolean
  /** The address that gets a notification when the work ends. */
  readonly webhook?: string
}

export type EvaluationFlags = EvalFlags &
  OutputFlags &
  FlagsOf<typeof trackOptions> &
  FlagsOf<typeof lmmsTrackOptions> & { readonly plan?: boolean }

export const withStore = (command: Command): Command => addFlags(command, storeOptions)

export const withOutput = (command: Command): Command =>
  command.option('--json', 'print results as JSON').option('--quiet', 'print nothing but results and errors')

/** Adds a subcommand that reads a store, with the examples of its command. `list` is the default. */
export const addSubcommand = (
  command: Command,
  { name, summary, help }: { readonly name: string; readonly summary: string; readonly help: string },
): Command =>
  withOutput(withStore(command.command(name, { isDefault: name === 'list' }).description(summary))).addHelpText(
    'after',
    help,
  )

export const withPlugins = (command: Command): Command => addFlags(command, pluginOptions)

export const withExtensions = (command: Command): Command =>
  addFlags(withPlugins(addFlags(command, taskFolderOptions)), pythonOptions)

/** Adds the flags for limits. All commands that call a model have them. */
export const withLimits = (command: Command): Command => addFlags(command, limitOptions, 'Limits of the command:')

/** Adds the flags for sending requests, which `resume` has, too. */
export const withRunning = (command: Command): Command =>
  withLimits(addFlags(addFlags(command, sendingOptions, 'How requests are sent:'), batchOptions, 'Batches:'))

export const withJudge = (command: Command): Command =>
  addFlags(command, judgeOptions, 'Judging:').optionsGroup('Output:')

/** Adds the flags that send results to trackers. */
export const withTracking = (command: Command): Command => addFlags(command, trackOptions)

export const withResultFiles = (command: Command): Command => withHtml(addFlags(command, lineOptions))

/** The help of `--set`. */
export const setHelp =
  'replace a key of the configuration file: limit=5, models.mini.model_args.timeout=9; may be repeated'

/** Adds all flags of an evaluation except those of its output. */
export function withEvaluation(command: Command): Command {
  addFlags(command, subjectOptions)
  command.option('--config <file>', 'a YAML file with any of these flags; flags on the line win')
  command.option('--set <key=value>', setHelp, appendText)
  withExtensions(withStore(command))
  command.option('--plan', 'show what would be sent, with tokens, cost and time, and send nothing')
  addFlags(command, selectionOptions, 'Docs and prompts:')
  addFlags(command, promptOptions)
  addFlags(command, scoringOptions)
  command.addOption(new Option('--num-samples <n>').argParser(wholeNumber('--num-samples', { min: 1 })).hideHelp())
  addFlags(command, generationOptions)
  addFlags(command, toolOptions, 'Tools that the model may call:')
  withRunning(command)
  addFlags(command, identityOptions, 'New runs and answers:')
  addFlags(command, aboutOptions, 'Names of the run:')
  addFlags(addFlags(command, lmmsOptions, 'Of lmms-eval:'), lmmsTrackOptions)
  return withUnusedFlags(command).optionsGroup('Output:')
}
