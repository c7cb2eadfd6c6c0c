import { resolve } from 'node:path'
import { Help, type Command } from 'commander'
import { checkTarget } from '../../../cache/bundle/export.js'
import { evaluate } from '../../evaluation/evaluate.js'
import type { EvalOutcome, Hooks } from '../../config/settings.js'
import type { DefineCommand, Tools } from '../command.js'
import { runWithDisplay } from '../display/evaluation-display.js'
import { withEvaluation, withOutput, type EvaluationFlags } from '../flags/evaluation-options.js'
import { withHtml } from '../flags/html-report.js'
import { listInstead } from './eval.js'
import type { ExitCode } from '../exit-code.js'
import { showPlan } from '../display/plan-display.js'
import { evaluateEach, type AskedRun } from './runs/run-list.js'
import { exportToFile } from './transfer/export.js'
import { storeDir } from '../open-run.js'

const help = `
Examples:
  pipeline infer --model openai --model-args model=gpt-x --tasks mytask -o run.pipeline
  pipeline infer --model openai --model-args model=gpt-x --tasks mytask --input-only
  pipeline infer --model openai --model-args model=gpt-x --tasks mytask --plan

All flags of pipeline eval work here, except those for judging and results: see pipeline eval --help.
It prints the run's name. Score the run with pipeline judge NAME, or the file on another machine with pipeline judge FILE.`

type InferFlags = EvaluationFlags & {
  readonly output?: string
  readonly media?: boolean
  readonly inputOnly?: boolean
}

/** The flags that the help of `infer` lists. The others are those of `eval`. */
const listedFlags = new Set([
  'model',
  'modelArgs',
  'tasks',
  'config',
  'store',
  'plan',
  'inputOnly',
  'output',
  'media',
  'help',
])

const listFewFlags = (command: Command): Command =>
  command.configureHelp({
    visibleOptions: subcommand =>
      new Help().visibleOptions(subcommand).filter(option => listedFlags.has(option.attributeName())),
  })

/** Defines `pipeline infer`. */
export const defineInfer: DefineCommand = (command, tools, end) =>
  void listFewFlags(withHtml(withOutput(withEvaluation(command))))
    .option('--input-only', 'only read the docs into the store; the same command without this flag sends the requests')
    .option('-o, --output <file>', 'also export the run to this file')
    .option('--media', 'with --output: include the media in the file')
    .addHelpText('after', help)
    .action(async ({ output: file, media, inputOnly, ...flags }: InferFlags) => {
      if (await listInstead(flags, tools)) return
      if (flags.plan !== true && file !== undefined) checkTarget(resolve(file), storeDir(flags, tools))
      const inferOne = async (
        { settings, output, destinations, onPlan }: AskedRun,
        inner: Tools,
      ): Promise<ExitCode> => {
        if (flags.plan === true) return showPlan(settings, { ...flags, isJudged: false, onPlan }, inner)
        if (destinations.length > 0 && flags.quiet !== true)
          inner.terminal.tell(
            'note: answers without scores are sent to no tracker; pipeline judge RUN --track … sends them scored',
          )
        const { store } = settings
        const stages = { input: true, model: inputOnly !== true, judge: false }
        let name = ''
        async function work(hooks: Hooks): Promise<EvalOutcome> {
          const outcome = await evaluate(settings, hooks, stages)
          name = outcome.run.name
          return outcome
        }
        const code = await runWithDisplay({ store, stages, flags: output, work }, inner)
        if (file !== undefined && name !== '') {
          await exportToFile({ store, reference: name, file, withMedia: media === true }, inner)
        }
        return code
      }
      end(
        await evaluateEach(flags, tools, {
          options: command.options,
          evaluateOne: inferOne,
          ...(file === undefined ? {} : { ofOne: '--output' }),
        }),
      )
    })
