import { accessSync, constants } from 'node:fs'
import { systemCode } from '../../../../base/errors/errors.js'
import { addFlags } from '../../../config/option.js'
import { jobPolicyOptions, uiOptions, workOptions, type UiFlags } from '../../../config/service-options.js'
import { serveUi } from '../../../service/ui.js'
import type { DefineCommand } from '../../command.js'
import { exitCode } from '../../exit-code.js'
import { withExtensions, withStore } from '../../flags/evaluation-options.js'
import { withInterruption } from '../../this-process/interruption.js'
import { locateStore, withServedStore } from '../../open-run.js'
import { browserOpener } from '../../open-browser.js'

const help = `
Examples:
  pipeline ui
  pipeline ui last --store runs
  pipeline ui --read-only --no-open --port 7300
  ssh -L 7300:127.0.0.1:7300 HOST pipeline ui --no-open

The printed address contains a secret: whoever has it can see the store and start runs until the program ends. So do not share it.`

/** Defines `pipeline ui`. */
export const defineUi: DefineCommand = (command, tools, end) => {
  withExtensions(withStore(command))
  addFlags(command, uiOptions, 'The viewer:')
  addFlags(command, workOptions, 'Runs that are started in the viewer:')
  addFlags(command, jobPolicyOptions)
  command
    .argument('[run]', 'opens the page of this run: name, end of its id, or last')
    .addHelpText('after', help)
    .action(async (reference: string | undefined, flags: UiFlags) => {
      const { terminal, env } = tools
      const location = locateStore(flags, tools)
      const access = flags.readOnly === true || isProtected(location.dir) ? 'read' : 'change'
      const uiFlags = { ...flags, ...(reference !== undefined && { reference }) }
      const openBrowser = flags.open === false ? undefined : browserOpener(env)
      await withInterruption(tools, ({ drain: stop }) =>
        withServedStore(location, access, store =>
          serveUi(store, uiFlags, {
            ...{ env, stop, tell: line => terminal.tell(line), announce: lines => terminal.print(lines) },
            ...(openBrowser && { openBrowser }),
          }),
        ),
      )
      end(exitCode({}))
    })
}

/** Tells whether nobody may write to the folder, such as on a medium that is mounted read-only. */
function isProtected(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK)
    return false
  } catch (error) {
    return systemCode(error) !== 'ENOENT'
  }
}
