import { PipelineError } from '../../../base/errors/errors.js'
import { secretTexts } from '../../config/secrets.js'
import { resumedSettings } from '../../config/stored/stored-settings.js'
import { evaluate } from '../../evaluation/evaluate.js'
import type { Hooks } from '../../config/settings.js'
import type { DefineCommand } from '../command.js'
import { runWithDisplay } from '../display/evaluation-display.js'
import {
  withExtensions,
  withJudge,
  withOutput,
  withResultFiles,
  withRunning,
  withStore,
  withTracking,
  type EvaluationFlags,
} from '../flags/evaluation-options.js'
import { aboutOptions } from '../../config/options/about-options.js'
import { readTracking } from '../flags/tracking.js'
import { selectionOptions } from '../../config/values/selection.js'
import { appendText } from '../../config/values/option-values.js'
import { openRun, storeDir, withOpenStore } from '../open-run.js'
import { resolve } from 'node:path'
import { resolveLocation } from '../../../cache/location.js'

const help = `
Examples:
  pipeline resume last
  pipeline resume calm-heron-19c2 --retry-failed --concurrency 8
  pipeline resume last --docs q12 --docs 'shapes_vqa/q1*'

Secrets are never stored: give the API key in the environment, or again with --model-args api_key=…, and that of the judge model with
--judge-args.`

/** Defines `pipeline resume`. */
export const defineResume: DefineCommand = (command, tools, end) =>
  void withTracking(withResultFiles(withOutput(withJudge(withRunning(withExtensions(withStore(command)))))))
    .argument('<run>', 'name, end of its id, or last')
    .option('--model-args <args>', 'arguments that are not stored (api_key=…) or do not change answers', appendText)
    .option(
      '--mcp <server>',
      'tool servers whose command line or address held a secret, again; may be repeated',
      appendText,
    )
    .option(
      selectionOptions.docs.flag,
      "ask only these docs now: an id or pattern (q12, 'shapes_vqa/q1*'), or a .txt file with one a line; may be repeated",
      selectionOptions.docs.read,
    )
    .option(aboutOptions.tag.flag, aboutOptions.tag.help, appendText)
    .addHelpText('after', help)
    .action(async (reference: string, { docs, ...flags }: EvaluationFlags) => {
      const store = resolveLocation(storeDir(flags, tools))
      const { run } = await withOpenStore({ dir: store, terminal: tools.terminal }, 'read', opened =>
        openRun(opened, reference),
      )
      if (flags.logSamples === true && flags.outputPath === undefined) {
        throw new PipelineError('usage', '--log-samples: also give --output-path DIR, the folder to write to')
      }
      const tracking = readTracking(flags, tools)
      const settings = {
        ...resumedSettings(run, { ...flags, store }, tools.env),
        ...(docs !== undefined && { onlyDocs: [docs].flat() }),
      }
      tools.terminal.mask(
        [settings.modelArgs, settings.judgeArgs, settings.judgeFor].flatMap(args => secretTexts(args)),
      )
      const output = { ...flags, ...(flags.outputPath === undefined ? {} : { outputPath: resolve(flags.outputPath) }) }
      const stages = { input: true, model: true, judge: true }
      const work = { store, stages, flags: output, tracking, work: (hooks: Hooks) => evaluate(settings, hooks) }
      end(await runWithDisplay(work, tools))
    })
