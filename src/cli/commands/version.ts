import { buildInfo } from '../../../cache/code/build-info.js'
import type { DefineCommand } from '../command.js'

const help = `
Example:
  pipeline version --json`

/** Defines `pipeline version`. */
export const defineVersion: DefineCommand = (command, { terminal }) =>
  void command
    .option('--json', 'print as JSON')
    .option('--quiet', 'print the version alone')
    .addHelpText('after', help)
    .action(({ json, quiet }: { json?: boolean; quiet?: boolean }) => {
      const { version, commit, dirty } = buildInfo()
      const facts = { version, commit: commit ?? null, dirty: dirty ?? false, node: process.version }
      if (json === true) terminal.printData(JSON.stringify(facts))
      else if (quiet === true) terminal.print(version)
      else terminal.print(`pipeline ${version} · ${commitText(commit, dirty)} · Node ${process.version}`)
    })

const commitText = (commit: string | undefined, dirty: boolean | undefined): string =>
  commit === undefined ? 'no commit known' : `commit ${commit.slice(0, 7)}${dirty === true ? ' + changes' : ''}`
