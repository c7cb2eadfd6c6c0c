import { pythonOptions } from '../../../config/options/subject-options.js'
import { limitOptions } from '../../../config/limits.js'
import { makeGroupSettings } from '../../../config/option.js'
import { judgeSettings, surroundings } from '../../../config/eval-settings.js'
import { appendText } from '../../../config/values/option-values.js'
import { formatStability } from '../../../present/text/stability-lines.js'
import { readRunStability } from '../../../rescoring/run-stability.js'
import type { DefineCommand, Tools } from '../../command.js'
import { withExtensions, withOutput, withStore, type EvaluationFlags } from '../../flags/evaluation-options.js'
import { openRun, locateStore, withOpenStore } from '../../open-run.js'

const help = `
Examples:
  pipeline eval --model openai --model-args model=gpt-4.1-mini --tasks mme --repeats 5 --gen-kwargs temperature=1
  pipeline stability last
  pipeline stability last --with last~1

Each sample of a doc is scored alone, by the task's current rules. No request is sent.`

export const defineStability: DefineCommand = (command, tools) =>
  void withOutput(withExtensions(withStore(command)))
    .argument('<run>', 'a run with several samples of each doc: name, end of its id, or last')
    .option('--with <run>', 'diagnose docs with a further run of the same tasks; may be repeated', appendText)
    .addHelpText('after', help)
    .action(async (reference: string, flags: EvaluationFlags & { readonly with?: readonly string[] }) => {
      const stability = await withOpenStore(locateStore(flags, tools), 'read', async store => {
        const opened = await openRun(store, reference)
        const others = await Promise.all((flags.with ?? []).map(other => openRun(store, other)))
        return readRunStability(store, opened, {
          settings: readSettings(reference, flags, tools),
          emit: tellNote,
          others,
        })
      })
      if (flags.json === true) tools.terminal.printData(JSON.stringify({ format: 1, ...stability }, undefined, 2))
      else tools.terminal.print(formatStability(stability, tools.terminal.paint.out))

      function tellNote(event: { readonly type: string; readonly text?: string }): void {
        if (event.type === 'note' && event.text !== undefined && flags.quiet !== true) tools.terminal.tell(event.text)
      }
    })

const readSettings = (run: string, flags: EvaluationFlags, { env }: Tools) => ({
  ...surroundings(flags, {}, env),
  ...judgeSettings({}, {}),
  ...makeGroupSettings({ ...limitOptions, ...pythonOptions }, flags, {}),
  run,
  trustBundle: false,
})
