/** Calls a tool, and converts its answer or error to a protocol message. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { visibleText } from '../../../base/text/visible-text.js'
import { isObject } from '../../../base/values/canonical-json.js'
import { storeProblem } from '../health.js'
import { clientProblems, withoutCommand } from '../client-wording.js'
import { QueueFullError } from '../jobs/job-service.js'
import { includes } from '../tokens.js'
import { fitValue } from './fitted.js'
import type { ToolCall } from './tool.js'
import { agentTools } from './tools/tools.js'

/**
 * Calls a tool.
 *
 * @throws PipelineError if there is no such tool, the caller may not call it, or its arguments are wrong
 */
export async function callTool(name: string, args: unknown, call: ToolCall): Promise<CallToolResult> {
  const tool = agentTools.find(agentTool => agentTool.name === name)
  if (tool === undefined)
    throw new PipelineError(
      'usage',
      `no tool "${visibleText(name).slice(0, 100)}".${didYouMean(
        name.slice(0, 100),
        agentTools.map(agentTool => agentTool.name),
      )}`,
    )
  if (!includes(call.caller.scope, tool.scope))
    throw new PipelineError(
      'usage',
      `${name} needs a token with scope "${tool.scope}"; this one has "${call.caller.scope}" (pipeline serve token new --scope ${tool.scope})`,
    )
  const { value, cut } = fitValue(await tool.run(args, call))
  const structured = { ...(isObject(value) ? value : {}), ...(cut.length > 0 && { cut: [...cut] }) }
  // Clients that do not know structured answers read the text.
  return { structuredContent: structured, content: [{ type: 'text', text: JSON.stringify(structured) }] }
}

const mostProblems = 50

/** Tells an agent what went wrong. Only mistakes of the caller are described; of others the log has the text. */
export function makeRefusal(error: unknown, log: (line: string) => void): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: formatErrorText(error, log) }] }
}

function formatErrorText(error: unknown, log: (line: string) => void): string {
  if (error instanceof QueueFullError) return `${error.message}. Try again later`
  if (error instanceof PipelineError && error.code !== 'store')
    return clientProblems(error)
      .slice(0, mostProblems)
      .map(text => withoutCommand(visibleText(text)).slice(0, 1000))
      .join('\n')
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  log(`${error instanceof PipelineError ? 'store' : 'internal error'}: ${visibleText(text)}`)
  return error instanceof PipelineError
    ? `${storeProblem(error)}. Try again later`
    : 'internal error; the log of the server says more'
}
