import { addFlags } from '../../../config/option.js'
import { jobPolicyOptions, serverOptions, workOptions } from '../../../config/service-options.js'
import { serve } from '../../../service/serve.js'
import type { DefineCommand } from '../../command.js'
import { exitCode } from '../../exit-code.js'
import { withExtensions, withStore } from '../../flags/evaluation-options.js'
import { withInterruption } from '../../this-process/interruption.js'
import { withServedStore, locateStore } from '../../open-run.js'
import type { ServeFlags } from '../../../service/settings.js'
import { defineTokens } from './serve-tokens.js'

const help = `
Examples:
  pipeline serve --store runs --allow-dir ./tasks
  pipeline serve --allow-url http://127.0.0.1:8000 --secret team=OPENAI_API_KEY --max-jobs 4
  pipeline serve token new --name ci --scope submit
  pipeline serve --host 0.0.0.0 --allow-host evals.example.com

An accepted job is stored: if the server is killed and started again, its jobs continue where they stopped.
Ctrl-C puts running jobs back into the queue, with all answers kept.`

/** Defines `pipeline serve`. */
export const defineServe: DefineCommand = (command, tools, end) => {
  withExtensions(withStore(command))
  addFlags(command, serverOptions, 'How clients reach the server:')
  addFlags(command, workOptions, 'Jobs:')
  addFlags(command, jobPolicyOptions, 'What jobs may name:')
  command.addHelpText('after', help).action(async (flags: ServeFlags) => {
    const { terminal, env } = tools
    await withInterruption(tools, ({ drain: stop }) =>
      withServedStore(locateStore(flags, tools, { drain: stop }), 'write', store =>
        serve(store, flags, { env, stop, tell: line => terminal.tell(line), announce: lines => terminal.print(lines) }),
      ),
    )
    end(exitCode({}))
  })
  defineTokens(command.command('token').description('create, list and revoke tokens of the service'), tools, end)
}
