import { resolve } from 'node:path'
import { refuseTarget } from '../../cache/bundle/export.js'
import { evaluate } from '../evaluate.js'
import type { DefineCommand } from './command-table.js'
import { displayed } from './evaluation-display.js'
import { withEvaluation, withOutput, type EvaluationFlags } from './evaluation-options.js'
import { listInstead, readSettings } from './eval.js'
import { showPlan } from './plan-display.js'
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

export const defineInfer: DefineCommand = (command, tools, end) =>
  void withOutput(withEvaluation(command))
    .option('--input-only', 'read the docs into the store and ask nothing yet; the same line without it asks')
    .option('-o, --output <file>', 'also export the run to this file')
    .option('--media', 'with --output: put the media into the file, too')
    .addHelpText('after', help)
    .action(async ({ output: file, media, inputOnly, ...flags }: InferFlags) => {
      if (await listInstead(flags, tools)) return
      const { settings, output } = await readSettings(flags, tools)
      if (flags.plan === true) {
        end(await showPlan(settings, { ...flags, isJudged: false }, tools))
        return
      }
      if (file !== undefined) refuseTarget(resolve(file))
      const { store } = settings
      const stages = { input: true, model: inputOnly !== true, judge: false }
      const work = { store, stages, flags: output, work: evaluateWith }
      let name = ''
      async function evaluateWith(hooks: Parameters<typeof evaluate>[1]) {
        const outcome = await evaluate(settings, hooks, stages)
        name = outcome.run.name
        return outcome
      }
      const code = await displayed(work, tools)
      if (file !== undefined && name !== '') {
        await exportToFile({ store, reference: name, file, withMedia: media === true }, tools)
      }
      end(code)
    })
