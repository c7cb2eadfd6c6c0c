import { pythonOptions } from '../../config/options/subject-options.js'
import { limitOptions } from '../../config/limits.js'
import { makeGroupSettings } from '../../config/option.js'
import { commaSeparated, judgeSettings, surroundings } from '../../config/eval-settings.js'
import { readConfigFile } from '../../config/file/config-file.js'
import { secretTexts } from '../../config/secrets.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { present } from '../../../base/values/present.js'
import { judgeAnswers, type JudgeAnswersSettings } from '../../rescoring/judge-answers.js'
import { rejudge } from '../../rescoring/rejudge.js'
import { selectionOptions } from '../../config/values/selection.js'
import { appendText } from '../../config/values/option-values.js'
import type { EvalOutcome, Hooks, JudgeSettings } from '../../config/settings.js'
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
  pipeline judge --answers answers.jsonl --tasks ./mytask --limit 100

Answers are taken from the store or the file; no dataset is needed. Requests are sent only to a judge model, if a task needs one
(--judge-model, else the one that the run was judged with). The command prints which scorer, filter or target changed since the last
judgement, and which scores moved. Earlier judgements stay readable: NAME@1 is the first.`

/** Defines `pipeline judge`. */
export const defineJudge: DefineCommand = (command, tools, end) =>
  void withTracking(withResultFiles(withOutput(withJudge(withLimits(withExtensions(withStore(command)))))))
    .argument('[run-or-file]', 'a run (name, end of its id, last) or a file that pipeline export wrote')
    .option(
      '--answers <file.jsonl>',
      'score answers made elsewhere, as a run: rows {"id": doc, "answer": text}; needs --tasks',
    )
    .option('--tasks <names>', 'the tasks that the answers belong to, with commas between', appendText)
    .option(selectionOptions.limit.flag, `with --answers: ${selectionOptions.limit.help}`, selectionOptions.limit.read)
    .option(selectionOptions.docs.flag, `with --answers: ${selectionOptions.docs.help}`, selectionOptions.docs.read)
    .option('--id-column <name>', "the column of docs' names   (default: doc_id, id, question_id or index)")
    .option('--answer-column <name>', 'the column of answers   (default: answer, response, output, prediction, …)')
    .option('--model-name <text>', "the model that made the answers   (default: the file's name)")
    .option('--trust-bundle', "run the scoring code of a user's own task that came with the file")
    .addHelpText('after', help)
    .action(async (run: string | undefined, flags: JudgeFlags) => {
      const answers = readAnswersFlags(run, flags)
      const around = surroundings(flags, {}, tools.env)
      const { judge, fallback } = await readJudges(flags, tools)
      tools.terminal.mask(
        [judge.judgeArgs, judge.judgeFor, fallback?.judgeArgs].flatMap(secrets => secretTexts(secrets)),
      )
      const settings = {
        ...around,
        ...judge,
        ...makeGroupSettings({ ...limitOptions, ...pythonOptions }, flags, {}),
        ...(fallback && { fallbackJudge: fallback }),
      }
      const work = (hooks: Hooks): Promise<EvalOutcome> =>
        answers === undefined
          ? rejudge({ ...settings, run: run ?? '', trustBundle: flags.trustBundle === true }, hooks)
          : judgeAnswers({ ...settings, ...answers }, hooks)
      const stages = { input: false, model: false, judge: true }
      const tracking = readTracking(flags, tools)
      const displayedWork = { store: around.store, stages, flags, tracking, work }
      end(await runWithDisplay(displayedWork, tools))
    })

interface JudgeFlags extends EvaluationFlags {
  readonly trustBundle?: boolean
  readonly answers?: string
  readonly idColumn?: string
  readonly answerColumn?: string
}

/** @throws PipelineError if neither or both of a run and a file of answers are named, or a flag needs the other */
function readAnswersFlags(
  run: string | undefined,
  { answers, tasks = [], idColumn: id, answerColumn: answer, modelName, trustBundle, limit, docs }: JudgeFlags,
): Pick<JudgeAnswersSettings, 'answers' | 'tasks' | 'columns' | 'modelName' | 'selection'> | undefined {
  if (answers === undefined) {
    if (run === undefined)
      throw new PipelineError(
        'usage',
        'judge: name a run, such as last, or a file of answers with --answers FILE --tasks NAME',
      )
    const idle = Object.entries({
      '--tasks': tasks[0],
      '--limit': limit,
      '--docs': docs,
      '--id-column': id,
      '--answer-column': answer,
      '--model-name': modelName,
    })
    const flag = idle.find(([, value]) => value !== undefined)?.[0]
    if (flag !== undefined) throw new PipelineError('usage', `judge: ${flag} needs --answers FILE`)
    return undefined
  }
  if (run !== undefined)
    throw new PipelineError('usage', `judge: --answers makes a run of its own. Leave out ${run}, or --answers.`)
  if (trustBundle === true)
    throw new PipelineError('usage', 'judge: --trust-bundle is for exported files. Leave it out.')
  return {
    ...{ answers, tasks: tasks.flatMap(commaSeparated), columns: present({ id, answer }) },
    ...present({ modelName }),
    selection: makeGroupSettings(
      { limit: selectionOptions.limit, docs: selectionOptions.docs },
      present({ limit, docs }),
      {},
    ),
  }
}

interface ReadJudges {
  readonly judge: JudgeSettings
  /** The judge model of the configuration folder, for runs without a judge model of their own. */
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
