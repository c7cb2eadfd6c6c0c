import { Option, type Command } from 'commander'
import type { EvalFlags } from '../../config/eval-settings.js'
import { limitOptions } from '../../config/limits.js'
import { addFlags } from '../../config/option.js'
import { identityOptions } from '../../config/options/identity-options.js'
import { judgeOptions } from '../../config/options/judge-options.js'
import { lineOptions, lmmsOptions } from '../../config/options/line-options.js'
import { promptOptions } from '../../config/options/prompt-options.js'
import { batchOptions, sendingOptions } from '../../config/options/sending-options.js'
import {
  generationOptions,
  pluginOptions,
  pythonOptions,
  storeOptions,
  subjectOptions,
  taskFolderOptions,
} from '../../config/options/subject-options.js'
import { wholeNumber } from '../../config/option-values.js'
import { selectionOptions } from '../../config/selection.js'
import { toolOptions } from '../../config/tool-servers.js'
import { withHtml, type HtmlFlags } from './html-report.js'
import { reasoningTagsIn } from './lmms-values.js'
import { withUnusedFlags } from './unused-flags.js'

/** Flags that show and write an evaluation's results. */
export interface OutputFlags extends HtmlFlags {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly outputPath?: string
  readonly logSamples?: boolean
}

export type EvaluationFlags = EvalFlags & OutputFlags & { readonly plan?: boolean; readonly reasoningTags?: string }

export const withStore = (command: Command): Command => addFlags(command, storeOptions)

export const withOutput = (command: Command): Command =>
  command.option('--json', 'print results as JSON').option('--quiet', 'print nothing but results and errors')

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

export const withResultFiles = (command: Command): Command => withHtml(addFlags(command, lineOptions))

/** Adds all flags of an evaluation except those of its output. */
export function withEvaluation(command: Command): Command {
  addFlags(command, subjectOptions)
  command.option('--config <file>', 'a YAML file with any of these flags; flags on the line win')
  withExtensions(withStore(command))
  command.option('--plan', 'show what would be sent, with tokens, cost and time, and send nothing')
  addFlags(command, selectionOptions, 'Docs and prompts:')
  addFlags(command, promptOptions)
  command.addOption(new Option('--num-samples <n>').argParser(wholeNumber('--num-samples', { min: 1 })).hideHelp())
  addFlags(command, generationOptions)
  addFlags(command, toolOptions, 'Tools that the model may call:')
  withRunning(command)
  addFlags(command, identityOptions, 'New runs and answers:')
  addFlags(command, lmmsOptions, 'Of lmms-eval:').option(
    '--reasoning-tags <tags>',
    'only the default tags; a task sets others (reasoning_tags)',
    reasoningTagsIn,
  )
  return withUnusedFlags(command).optionsGroup('Output:')
}
