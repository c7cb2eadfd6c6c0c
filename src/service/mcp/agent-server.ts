/** Answers the Model Context Protocol with the tools of the service. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolRequest,
  type CallToolResult,
  type ServerNotification,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import { buildInfo } from '../../../cache/code/build-info.js'
import type { Caller } from '../http/guards/access.js'
import type { Service } from '../service.js'
import { withPlainErrors } from './plain-errors.js'
import { callTool, makeRefusal } from './tool-answer.js'
import { agentTools, instructions } from './tools/tools.js'
import type { AgentTool, ToolCall } from './tool.js'

/** Makes the server of one connection. The caller of the transport connects it. */
export function agentServer(service: Service, caller: Caller): McpServer {
  const mcpServer = new McpServer(
    { name: 'pipeline', title: 'pipeline', version: buildInfo().version },
    { capabilities: { tools: {} }, instructions },
  )
  // The schemas of arguments are made from the options of the command line, and mistakes are worded as there: so the tools are not registered one by one.
  mcpServer.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: agentTools.map(describeTool) }))
  mcpServer.server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) =>
    answerCall(params, {
      service,
      caller,
      signal: extra.signal,
      ...makeReport(extra._meta?.progressToken, extra.sendNotification),
    }),
  )
  const connect = mcpServer.connect.bind(mcpServer)
  mcpServer.connect = transport => connect(withPlainErrors(transport))
  return mcpServer
}

const describeTool = ({ name, title, description, inputSchema, outputSchema, hints }: AgentTool): Tool => ({
  name,
  title,
  description,
  // The casts are safe: both schemas are made from object schemas.
  inputSchema: inputSchema as Tool['inputSchema'],
  outputSchema: outputSchema as NonNullable<Tool['outputSchema']>,
  annotations: { title, ...hints },
})

async function answerCall(params: CallToolRequest['params'], call: ToolCall): Promise<CallToolResult> {
  try {
    return await callTool(params.name, params.arguments ?? {}, call)
  } catch (error) {
    return makeRefusal(error, call.service.log)
  }
}

function makeReport(
  progressToken: string | number | undefined,
  send: (notification: ServerNotification) => Promise<void>,
): Pick<ToolCall, 'report'> {
  if (progressToken === undefined) return {}
  return {
    report: progress => send({ method: 'notifications/progress', params: { progressToken, ...progress } }),
  }
}
