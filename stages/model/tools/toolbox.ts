import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { messageOf } from '../../../base/errors.js'
import { didYouMean } from '../../../base/suggest.js'
import type { JsonObject, ToolCall, ToolDeclaration } from '../../../cache/records.js'
import type { MediaStore } from '../../../cache/store.js'
import { AttemptError, type Modality } from '../define-backend.js'
import type { StepResult } from '../rounds/ledger.js'
import type { Tools } from '../rounds/tool-rounds.js'
import { CallsOfServer } from './calls-of-server.js'
import { McpClient } from './mcp-client.js'
import { toolResult } from './tool-result.js'
import { masked, shownServer, type ToolServer } from './tool-server.js'

export interface ToolboxOptions {
  readonly media: Pick<MediaStore, 'addBytes'>
  /** What the model can be shown of results. */
  readonly accepts: readonly Modality[]
  /** Milliseconds for one call. */
  readonly timeoutMs: number
  /** Of this program, which a server is told. */
  readonly version: string
}

/** The tools of some servers, which run until it is closed. */
export interface Toolbox extends Tools {
  /** By name. */
  readonly declared: readonly ToolDeclaration[]
  close(): Promise<void>
}

interface Offered {
  readonly server: ToolServer
  readonly client: McpClient
  readonly calls: CallsOfServer
  readonly tool: Tool
}

/**
 * Starts the servers, or reaches them, and asks what they offer.
 *
 * @throws PipelineError where one of them can't be started or reached; none runs then.
 */
export async function openToolbox(servers: readonly ToolServer[], options: ToolboxOptions): Promise<Toolbox> {
  const clients = servers.map(server => ({
    server,
    client: new McpClient(server, options.version),
    calls: new CallsOfServer(),
  }))
  const close = async (): Promise<void> => {
    await Promise.all(clients.map(({ client }) => client.close()))
  }
  try {
    const lists = await Promise.allSettled(clients.map(async one => offeredBy(one)))
    for (const list of lists) if (list.status === 'rejected') throw list.reason
    const offered = lists.flatMap(list => (list.status === 'fulfilled' ? list.value : []))
    const named = withNames(offered)
    return {
      declared: [...named].map(([name, { tool }]) => declarationOf(name, tool)),
      call: (call, signal) => callOne(call, { named, options, signal }),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const offeredBy = async (one: Omit<Offered, 'tool'>): Promise<readonly Offered[]> =>
  (await one.client.tools()).map(tool => ({ ...one, tool }))

/** The tools by the names that models know: no provider takes other letters, and two of one name have their server's before it. */
function withNames(offered: readonly Offered[]): ReadonlyMap<string, Offered> {
  const count = new Map<string, number>()
  for (const { tool } of offered) count.set(safeName(tool.name), (count.get(safeName(tool.name)) ?? 0) + 1)
  const named = offered.map(one => {
    const name = safeName(one.tool.name)
    return [count.get(name) === 1 ? name : safeName(`${one.server.name}__${one.tool.name}`), one] as const
  })
  return new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const safeName = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)

function declarationOf(name: string, { description, inputSchema }: Tool): ToolDeclaration {
  // It came as JSON. Which version of its language a schema is in, no provider asks.
  const parameters = Object.entries(inputSchema as JsonObject).filter(([key]) => key !== '$schema')
  return {
    name,
    ...(description === undefined ? {} : { description }),
    parameters: Object.fromEntries(parameters),
  }
}

interface Calling {
  readonly named: ReadonlyMap<string, Offered>
  readonly options: ToolboxOptions
  readonly signal: AbortSignal
}

/**
 * What the model did wrong, and what took too long, it is told; a server that is gone is started once more. What was under
 * way when it ended is then called alone: else a call that ends it every time would fail all others with it.
 */
async function callOne(call: ToolCall, { named, options, signal }: Calling): Promise<StepResult> {
  const offered = named.get(call.name)
  if (offered === undefined) {
    const names = [...named.keys()]
    return failed(`there is no tool "${call.name}".${didYouMean(call.name, names)} There are: ${names.join(', ')}`)
  }
  const args = readArguments(call.arguments)
  if (typeof args === 'string') return failed(args)
  const { client, server, calls, tool } = offered
  const ask = () => client.call(tool.name, args, { signal, timeoutMs: options.timeoutMs })
  const first = await calls.call(ask)
  const outcome = first.type === 'lost' ? await calls.callAlone(ask) : first
  if (outcome.type === 'refused') return failed(outcome.message)
  if (outcome.type === 'result') {
    const result = await toolResult(outcome.result, options)
    return { ...result, text: masked(server, result.text) }
  }
  throw new AttemptError('server', `tool server ${shownServer(server)} ended twice: ${outcome.message}`, {
    isRetryable: false,
  })
}

const failed = (text: string): StepResult => ({ text: `error: ${text}`, isError: true })

/** The arguments of a call, or what is wrong with them. Nothing at all is none. */
function readArguments(text: string): Record<string, unknown> | string {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
    return `the arguments must be a JSON object, given ${text}`
  } catch (error) {
    return `the arguments are not JSON (${messageOf(error)}), given ${text}`
  }
}
