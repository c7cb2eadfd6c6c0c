import { resolve } from 'node:path'
import { refuseTarget } from '../../../cache/bundle/export.js'
import { evaluate } from '../../evaluation/evaluate.js'
import type { EvalOutcome, Hooks } from '../../config/settings.js'
import type { DefineCommand, Tools } from '../command.js'
import { runWithDisplay } from '../display/evaluation-display.js'
import { withEvaluation, withOutput, type EvaluationFlags } from '../flags/evaluation-options.js'
import { withHtml } from '../flags/html-report.js'
import { listInstead } from './eval.js'
import type { ExitCode } from '../exit-code.js'
import { showPlan } from '../display/plan-display.js'
import { evaluateEach, type AskedRun } from './run-list.js'
import { exportToFile } from './export.js'

const help = `
Examples:
  pipeline infer --model openai --model-args model=gpt-x --tasks mytask -o run.pipeline
  pipeline infer --model openai --model-args model=gpt-x --tasks mytask --input-only
  pipeline infer --model openai --model-args model=gpt-x --tasks mytask --plan

Prints the run's name; score it with pipeline judge NAME, or the file on another machine with pipeline judge FILE.`

type InferFlags = EvaluationFlags & {
  readonly output?: string
  readonly media?: boolean
  readonly inputOnly?: boolean
}

/** Defines `pipeline infer`. */
export const defineInfer: DefineCommand = (command, tools, end) =>
  void withHtml(withOutput(withEvaluation(command)))
    .option('--input-only', 'read the docs into the store and ask nothing yet; the same line without it asks')
    .option('-o, --output <file>', 'also export the run to this file')
    .option('--media', 'with --output: put the media into the file, too')
    .addHelpText('after', help)
    .action(async ({ output: file, media, inputOnly, ...flags }: InferFlags) => {
      if (await listInstead(flags, tools)) return
      if (flags.plan !== true && file !== undefined) refuseTarget(resolve(file))
      const inferOne = async ({ settings, output, destinations }: AskedRun, inner: Tools): Promise<ExitCode> => {
        if (flags.plan === true) return showPlan(settings, { ...flags, isJudged: false }, inner)
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
