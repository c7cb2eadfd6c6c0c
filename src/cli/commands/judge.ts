import { pythonOptions } from '../../config/options/subject-options.js'
import { limitOptions } from '../../config/limits.js'
import { makeGroupSettings } from '../../config/option.js'
import { judgeSettings, surroundings } from '../../config/eval-settings.js'
import { readConfigFile } from '../../config/file/config-file.js'
import { secretTexts } from '../../config/secrets.js'
import { present } from '../../../base/values/present.js'
import { rejudge } from '../../rescoring/rejudge.js'
import type { Hooks, JudgeSettings } from '../../config/settings.js'
import { readTracking } from '../flags/tracking.js'
import type { DefineCommand, Tools } from '../command.js'
import { runWithDisplay } from '../display/evaluation-display.js'
import {
  withExtensions,
  withJudge,
  withLimits,
  withOutput,
  withResultFiles,
  withStore,
  withTracking,
  type EvaluationFlags,
} from '../flags/evaluation-options.js'

const help = `
Examples:
  pipeline judge last
  pipeline judge run.pipeline --store /tmp/elsewhere
  pipeline judge last --judge-for 'mme.quality=openai,model=large'

Answers are taken from the store or the file; no dataset is needed, and nothing is asked but the judge model, where a task
needs one (--judge-model; else the one that the run was judged with). What a scorer, filter or target
that changed since moves is told, and the judgement before stays readable as NAME@1.`

/** Defines `pipeline judge`. */
export const defineJudge: DefineCommand = (command, tools, end) =>
  void withTracking(withResultFiles(withOutput(withJudge(withLimits(withExtensions(withStore(command)))))))
    .argument('<run-or-file>', 'a run (name, end of its id, last) or a file that pipeline export wrote')
    .option('--trust-bundle', "run the scoring code of a user's own task that came with the file")
    .addHelpText('after', help)
    .action(async (run: string, flags: EvaluationFlags & { trustBundle?: boolean }) => {
      const around = surroundings(flags, {}, tools.env)
      const { judge, fallback } = await readJudges(flags, tools)
      tools.terminal.mask(
        [judge.judgeArgs, judge.judgeFor, fallback?.judgeArgs].flatMap(secrets => secretTexts(secrets)),
      )
      const settings = {
        ...around,
        ...judge,
        ...makeGroupSettings({ ...limitOptions, ...pythonOptions }, flags, {}),
        run,
        trustBundle: flags.trustBundle === true,
        ...(fallback && { fallbackJudge: fallback }),
      }
      const stages = { input: false, model: false, judge: true }
      const tracking = readTracking(flags, tools)
      const work = { store: around.store, stages, flags, tracking, work: (hooks: Hooks) => rejudge(settings, hooks) }
      end(await runWithDisplay(work, tools))
    })

interface ReadJudges {
  readonly judge: JudgeSettings
  /** The judge of the folder, for runs that no judge model has judged yet. */
  readonly fallback?: JudgeSettings
}

async function readJudges(flags: EvaluationFlags, { folder: { defaults } }: Tools): Promise<ReadJudges> {
  const { judgeModel: name, ...others } = flags
  if (defaults === undefined) return { judge: judgeSettings(flags, {}) }
  const [run] = await readConfigFile(undefined, present({ folder: defaults, judgeModel: name }))
  const keys = present({ judge_model: run?.config.judge_model, judge_args: run?.config.judge_args })
  if (name !== undefined && defaults.models.has(name)) return { judge: judgeSettings(others, keys) }
  return {
    judge: judgeSettings(flags, {}),
    ...(name === undefined &&
      keys.judge_model !== undefined && { fallback: judgeSettings(present({ judgeArgs: flags.judgeArgs }), keys) }),
  }
}
