import { limitOptions } from '../../config/limits.js'
import { settingsOf } from '../../config/option.js'
import { judgeSettings, surroundings } from '../../config/eval-settings.js'
import { secretTexts } from '../../config/secrets.js'
import { usePython } from '../../evaluation/use-python.js'
import { rejudge } from '../../judging/rejudge.js'
import type { DefineCommand } from '../command.js'
import { displayed } from '../display/evaluation-display.js'
import {
  withExtensions,
  withJudge,
  withLimits,
  withOutput,
  withResultFiles,
  withStore,
  type EvaluationFlags,
} from '../flags/evaluation-options.js'

const help = `
Examples:
  pipeline judge last
  pipeline judge run.pipeline --store /tmp/elsewhere

Answers are taken from the store or the file; no dataset is needed, and nothing is asked but the judge model, where a task
needs one (--judge-model; else the one that the run was judged with). What a scorer, filter or target
that changed since moves is told, and the judgement before stays readable as NAME@1.`

export const defineJudge: DefineCommand = (command, tools, end) =>
  void withResultFiles(withOutput(withJudge(withLimits(withExtensions(withStore(command))))))
    .argument('<run-or-file>', 'a run (name, end of its id, last) or a file that pipeline export wrote')
    .option('--trust-bundle', "run the scoring code of a user's own task that came with the file")
    .addHelpText('after', help)
    .action(async (run: string, flags: EvaluationFlags & { trustBundle?: boolean }) => {
      const around = surroundings(flags, {}, tools.env)
      const judge = judgeSettings(flags, {})
      usePython(flags)
      tools.terminal.mask(secretTexts(judge.judgeArgs))
      const settings = {
        ...around,
        ...judge,
        ...settingsOf(limitOptions, flags, {}),
        run,
        trustBundle: flags.trustBundle === true,
      }
      const stages = { input: false, model: false, judge: true }
      end(await displayed({ store: around.store, stages, flags, work: hooks => rejudge(settings, hooks) }, tools))
    })
