import { pythonOptions } from '../../../config/options/subject-options.js'
import { limitOptions } from '../../../config/limits.js'
import { makeGroupSettings } from '../../../config/option.js'
import { judgeSettings, surroundings } from '../../../config/eval-settings.js'
import { formatBlame } from '../../../present/text/blame-lines.js'
import type { Run } from '../../../../cache/records.js'
import { shownRunName } from '../../../reading/runs/run-reference.js'
import { blameRuns } from '../../../rescoring/blame/blame-runs.js'
import type { DefineCommand, Tools } from '../../command.js'
import { withExtensions, withOutput, withStore, type EvaluationFlags } from '../../flags/evaluation-options.js'
import { openRun, locateStore, withOpenStore } from '../../open-run.js'

const help = `
Examples:
  pipeline blame last~1 last
  pipeline blame calm-heron-19c2@1 calm-heron-19c2@2 --json

The effects of model, prompt, generation parameters, targets and scoring rules are separated as far as the store has the answers that
this needs. No request is sent.`

/** Defines `pipeline blame`. */
export const defineBlame: DefineCommand = (command, tools) =>
  void withOutput(withExtensions(withStore(command)))
    .argument('<run-a>', 'the run to compare with: name, end of its id, or last; NAME@1 for its first judgement')
    .argument('<run-b>', 'the run whose difference is explained')
    .addHelpText('after', help)
    .action(async (first: string, second: string, flags: EvaluationFlags) => {
      const { terminal } = tools
      const blame = await withOpenStore(locateStore(flags, tools), 'read', async store => {
        const [a, b] = [await openRun(store, first), await openRun(store, second)]
        const runBlame = await blameRuns(store, a, b, {
          settings: readSettings(second, flags, tools),
          emit: event => {
            if (event.type === 'note' && flags.quiet !== true) terminal.tell(event.text)
          },
        })
        return { ...runBlame, a: labelRun(first, a.run), b: labelRun(second, b.run) }
      })
      if (flags.json === true) terminal.printData(JSON.stringify({ format: 1, ...blame }, undefined, 2))
      else terminal.print(formatBlame(blame, terminal.paint.out))
    })

/** The run as the line names it, with its judgement if that is named. */
const labelRun = (reference: string, run: Run): string =>
  `${shownRunName(reference, run)}${/@\d+$/.exec(reference)?.[0] ?? ''}`

const readSettings = (run: string, flags: EvaluationFlags, { env }: Tools) => ({
  ...surroundings(flags, {}, env),
  ...judgeSettings({}, {}),
  ...makeGroupSettings({ ...limitOptions, ...pythonOptions }, flags, {}),
  run,
  trustBundle: false,
})
