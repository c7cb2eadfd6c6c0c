import { listResolvedKeys } from '../../config/file/resolved-keys.js'
import { readConfigFile, type ConfiguredRun } from '../../config/file/config-file.js'
import { secretTexts } from '../../config/secrets.js'
import { appendText } from '../../config/values/option-values.js'
import { oneLine, visibleText } from '../../../base/text/visible-text.js'
import { present } from '../../../base/values/present.js'
import { table } from '../../present/text/layout/table.js'
import { namedTrackers } from '../../tracking/named-trackers.js'
import type { DefineCommand, Tools } from '../command.js'
import { setHelp, withOutput, type OutputFlags } from '../flags/evaluation-options.js'
import { maskTrackers } from '../flags/tracking.js'

const help = `
Examples:
  pipeline config show nightly.yaml
  pipeline config show nightly.yaml --set limit=20 --json
  pipeline config show

Without a file, the defaults of the folder (pipeline.yaml) are shown. Flags on the command line take precedence over both.
Secrets and values of env are hidden.`

type ShowFlags = OutputFlags & { readonly set?: readonly string[] }

/** Defines `pipeline config`. */
export const defineConfig: DefineCommand = (command, tools) => {
  command.addHelpText('after', help)
  withOutput(
    command
      .command('show', { isDefault: true })
      .description('show the settings of each run of a configuration file, and where each value comes from')
      .argument('[file]', 'a configuration file')
      .option('--set <key=value>', setHelp, appendText),
  )
    .addHelpText('after', help)
    .action((file: string | undefined, flags: ShowFlags) => show(file, flags, tools))
}

async function show(file: string | undefined, flags: ShowFlags, { terminal, env, folder }: Tools): Promise<void> {
  const runs = await readConfigFile(file, present({ set: flags.set, folder: folder.defaults }))
  for (const { config } of runs) {
    terminal.mask(
      [config.model_args, config.judge_args, config.judge_for, config.env].flatMap(args => secretTexts(args)),
    )
    maskTrackers(namedTrackers({}, config), terminal)
  }
  const titledRuns = runs.map(run => ({ title: titleRun(run), keys: listResolvedKeys(run, env, folder.defaults) }))
  if (flags.json === true) {
    terminal.printData(
      JSON.stringify(
        titledRuns.map(({ title, keys }) => ({ run: title, keys })),
        undefined,
        2,
      ),
    )
    return
  }
  const columns = [
    { title: 'key', least: 12 },
    { title: 'value', least: 20 },
    { title: 'from', least: 12 },
  ]
  for (const [index, { title, keys }] of titledRuns.entries()) {
    const rows = keys.map(({ key, value, from }) => [
      key,
      oneLine(visibleText(typeof value === 'string' ? value : JSON.stringify(value))),
      from,
    ])
    const heading = titledRuns.length > 1 ? [`${index + 1} of ${titledRuns.length}   ${title}`] : []
    terminal.print([...(index > 0 ? [''] : []), ...heading, ...table(columns, rows, terminal.paint.out)])
  }
}

const titleRun = ({ cell, location }: ConfiguredRun): string => cell ?? (location === '' ? 'defaults' : location)
