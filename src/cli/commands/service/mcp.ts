import { PipelineError } from '../../../../base/errors/errors.js'
import { addFlags } from '../../../config/option.js'
import { jobPolicyOptions, serverOptions, workOptions } from '../../../config/service-options.js'
import { serveStdio } from '../../../service/mcp/serve-stdio.js'
import { serve } from '../../../service/serve.js'
import type { ServeFlags } from '../../../service/settings.js'
import type { DefineCommand } from '../../command.js'
import { exitCode } from '../../exit-code.js'
import { withExtensions, withStore } from '../../flags/evaluation-options.js'
import { withInterruption } from '../../this-process/interruption.js'
import { locateStore, withServedStore } from '../../open-run.js'

const help = `
Examples:
  pipeline mcp --store runs --allow-url http://127.0.0.1:8000
  pipeline mcp --http --port 7310

An agent starts the first line itself, from its file of MCP servers, and speaks over standard input and output.
When the agent leaves, running evaluations go back into the queue; the next start with this store continues them.
With --http, it is the same server as pipeline serve, which has the tools at /mcp.`

type McpFlags = ServeFlags & { readonly http?: boolean }

/** Defines `pipeline mcp`. */
export const defineMcp: DefineCommand = (command, tools, end) => {
  withExtensions(withStore(command)).option('--http', 'listen for HTTP, with the tools at /mcp')
  addFlags(command, workOptions, 'Jobs:')
  addFlags(command, jobPolicyOptions, 'What jobs may name:')
  addFlags(command, serverOptions, 'How clients reach the server, with --http:')
  command.addHelpText('after', help).action(async ({ http: isHttp = false, ...flags }: McpFlags) => {
    if (!isHttp) refuseServerFlags(flags)
    const { terminal, env } = tools
    await withInterruption(tools, ({ drain: stop }) => {
      const surroundings = { env, stop, tell: (line: string) => terminal.tell(line) }
      return withServedStore(locateStore(flags, tools, { drain: stop }), 'write', store =>
        isHttp
          ? serve(store, flags, { ...surroundings, announce: lines => terminal.print(lines) })
          : serveStdio(store, flags, surroundings),
      )
    })
    end(exitCode({}))
  })
}

const forHttp = ['host', 'port', 'allowHost', 'allowOrigin', 'requireToken', 'maxBodyKb', 'maxRate'] as const

/** A port without a server would be forgotten silently. */
function refuseServerFlags(flags: ServeFlags): void {
  const problems = forHttp
    .filter(name => flags[name] !== undefined)
    .map(name => `${serverOptions[name].flag.split(' ')[0] ?? name} needs --http`)
  if (problems.length > 0) throw new PipelineError('usage', problems)
}
