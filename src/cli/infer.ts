import { evaluate } from '../evaluate.js'
import type { DefineCommand } from './command-table.js'
import { displayed } from './evaluation-display.js'
import { withEvaluation, withOutput, type EvaluationFlags } from './evaluation-options.js'
import { readSettings } from './eval.js'
import { exportToFile } from './export.js'

const help = `
Example:
  pipeline infer --model openai --model-args model=gpt-x --tasks mytask -o run.pipeline

Prints the run's name; score it with pipeline judge NAME, or the file on another machine with pipeline judge FILE.`

export const defineInfer: DefineCommand = (command, tools, end) =>
  void withOutput(withEvaluation(command))
    .option('-o, --output <file>', 'also export the run to this file')
    .option('--media', 'with --output: put the media into the file, too')
    .addHelpText('after', help)
    .action(async ({ output: file, media, ...flags }: EvaluationFlags & { output?: string; media?: boolean }) => {
      const { settings, output } = await readSettings(flags, tools)
      const { store } = settings
      const stages = { input: true, model: true, judge: false }
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
