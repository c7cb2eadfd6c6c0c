import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import type { Clock } from '../../../base/time/clock.js'
import { messageOf } from '../../../base/errors/errors.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { isObject } from '../../../base/values/canonical-json.js'
import type { JsonObject, ToolCall, ToolDeclaration } from '../../../cache/records.js'
import type { MediaStore } from '../../../cache/store.js'
import type { Modality } from '../define-backend.js'
import { AttemptError } from '../model.js'
import type { StepResult } from '../rounds/ledger.js'
import type { CallRules, Tools } from '../rounds/tool-rounds.js'
import { type CallOutcome, McpClient } from './mcp-client.js'
import { maskSecrets, ServerAbsence, shownServer, type ToolServer } from './tool-server.js'
import { structureProblem, toolResult } from './tool-result.js'

export interface ToolboxOptions {
  readonly media: Pick<MediaStore, 'addBytes'>
  /** The modalities of results that the model accepts. */
  readonly accepts: readonly Modality[]
  /** The timeout of one call in milliseconds. */
  readonly timeoutMs: number
  /** The program's version, which is sent to servers. */
  readonly version: string
  readonly clock: Clock
  /** Reports to the user: tools that are not offered, or a server that does not answer. */
  readonly note: (text: string) => void
}

/** The tools of several servers, which run until it is closed. */
export interface Toolbox extends Tools {
  /** The declared tools, sorted by name. */
  readonly declared: readonly ToolDeclaration[]
  isReadOnly(name: string): boolean
  close(): Promise<void>
}

interface Offered {
  readonly server: ToolServer
  readonly client: McpClient
  readonly calls: CallsOfServer
  readonly absence: ServerAbsence
  readonly tool: Tool
}

/**
 * Starts or connects to the servers and lists their tools.
 *
 * @throws PipelineError if one of them cannot be started or reached; none keeps running then
 */
export async function openToolbox(servers: readonly ToolServer[], options: ToolboxOptions): Promise<Toolbox> {
  const clients = servers.map(server => ({
    server,
    client: new McpClient(server, options),
    calls: new CallsOfServer(),
    absence: new ServerAbsence(shownServer(server), options),
  }))
  const close = async (): Promise<void> => {
    await Promise.all(clients.map(({ client }) => client.close()))
  }
  try {
    const lists = await Promise.allSettled(clients.map(async connection => offeredBy(connection, options)))
    for (const list of lists) if (list.status === 'rejected') throw list.reason
    const offered = lists.flatMap(list => (list.status === 'fulfilled' ? list.value : []))
    const toolsByName = withNames(offered)
    return {
      declared: [...toolsByName].map(([name, { tool }]) => makeDeclaration(name, tool)),
      isReadOnly: name => toolsByName.get(name)?.tool.annotations?.readOnlyHint === true,
      call: (call, rules) => callOne(call, { named: toolsByName, options, ...rules }),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Lists the tools of a server that answer directly. A tool that answers through an MCP task is left out. */
async function offeredBy(connection: Omit<Offered, 'tool'>, { note }: ToolboxOptions): Promise<readonly Offered[]> {
  const tools = await connection.client.tools()
  const asTasks = tools.filter(needsTask).map(({ name }) => name)
  if (asTasks.length > 0)
    note(
      `tool server ${shownServer(connection.server)}: not offered to the model, since they answer only as tasks of the protocol: ${asTasks.join(', ')}`,
    )
  return tools.filter(tool => !needsTask(tool)).map(tool => ({ ...connection, tool }))
}

const needsTask = ({ execution }: Tool): boolean => execution?.taskSupport === 'required'

/**
 * Gives the tools the names that models see, in the characters that all providers accept. Tools of the same name get
 * their server's name as a prefix.
 */
function withNames(offered: readonly Offered[]): ReadonlyMap<string, Offered> {
  const count = new Map<string, number>()
  for (const { tool } of offered) count.set(safeName(tool.name), (count.get(safeName(tool.name)) ?? 0) + 1)
  const namedTools = offered.map(offeredTool => {
    const name = safeName(offeredTool.tool.name)
    return [
      count.get(name) === 1 ? name : safeName(`${offeredTool.server.name}__${offeredTool.tool.name}`),
      offeredTool,
    ] as const
  })
  return new Map(namedTools.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const safeName = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)

function makeDeclaration(name: string, { description, inputSchema }: Tool): ToolDeclaration {
  // The cast is safe because schemas come as JSON. `$schema` is left out, because no provider uses it.
  const parameters = Object.entries(inputSchema as JsonObject).filter(([key]) => key !== '$schema')
  return {
    name,
    ...(description === undefined ? {} : { description }),
    parameters: Object.fromEntries(parameters),
  }
}

interface Calling extends CallRules {
  readonly named: ReadonlyMap<string, Offered>
  readonly options: ToolboxOptions
}

/** Makes a call. The model gets its own mistakes and timeouts as results. If the server is gone, the call waits for it or restarts it once. */
async function callOne(call: ToolCall, calling: Calling): Promise<StepResult> {
  const { named: toolsByName, options } = calling
  const offered = toolsByName.get(call.name)
  if (offered === undefined) {
    const names = [...toolsByName.keys()]
    return makeErrorResult(
      `there is no tool "${call.name}".${didYouMean(call.name, names)} There are: ${names.join(', ')}`,
    )
  }
  const args = readArguments(call.arguments)
  if (typeof args === 'string') return makeErrorResult(args)
  const { server, tool } = offered
  const outcome = await askUntilHeard(offered, args, calling)
  if (outcome.type !== 'result') return makeErrorResult(outcome.message)
  const problem = await structureProblem(tool, outcome.result)
  if (problem !== undefined) return makeErrorResult(maskSecrets(server, problem))
  const result = await toolResult(outcome.result, options)
  const text = maskSecrets(server, result.text)
  // Not all protocols of models have a field for errors.
  return { ...result, text: result.isError === true && !/^\W*error/i.test(text) ? `error: ${text}` : text }
}

/**
 * Repeats a call until the server has received it. A call that was in flight when the server ended is repeated once and
 * alone. Otherwise a call that always ends the server would fail all others with it.
 *
 * @throws AttemptError if the call must not be repeated, or ended the server twice
 */
async function askUntilHeard(
  { client, calls, absence, server, tool }: Offered,
  args: Record<string, unknown>,
  { options, signal, once }: Calling,
): Promise<Extract<CallOutcome, { type: 'result' | 'refused' }>> {
  const ask = () => client.call(tool.name, args, { signal, timeoutMs: options.timeoutMs, begin: once })
  const [outcomeTypes, said] = [new Set<CallOutcome['type']>(), shownServer(server)]
  for (let waits = 0; ;) {
    const outcome = await (outcomeTypes.has('lost') ? calls.callAlone(ask) : calls.call(ask))
    const isSecond = outcomeTypes.has(outcome.type)
    outcomeTypes.add(outcome.type)
    switch (outcome.type) {
      case 'result':
      case 'refused':
        absence.ended()
        return outcome
      case 'away':
        await absence.wait(waits++, outcome.message, signal)
        break
      case 'forgotten':
        if (isSecond) return { type: 'refused', message: outcome.message }
        break
      case 'lost':
        if (once !== undefined)
          throw failure(
            `tool server ${said} ended before the result of ${tool.name}, which the task declares not to be repeated: ${outcome.message}`,
          )
        if (isSecond) throw failure(`tool server ${said} ended twice: ${outcome.message}`)
        break
      case 'shut':
        throw failure(`tool server ${said}: ${outcome.message}`)
    }
  }
}

const failure = (message: string): AttemptError => new AttemptError('server', message, { isRetryable: false })

const makeErrorResult = (text: string): StepResult => ({ text: `error: ${text}`, isError: true })

/** Parses the arguments of a call, or says what is wrong with them. An empty text means no arguments. */
function readArguments(text: string): Readonly<Record<string, unknown>> | string {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
    return `the arguments must be a JSON object, given ${text}`
  } catch (error) {
    return `the arguments are not JSON (${messageOf(error)}), given ${text}`
  }
}

/** The calls of one server. They run in parallel, or one runs alone, which shows which call ends the server. */
class CallsOfServer {
  readonly #underWay = new Set<Promise<unknown>>()
  #alone: Promise<unknown> | undefined

  /** Makes a call as soon as no other needs to run alone. */
  async call<Outcome>(ask: () => Promise<Outcome>): Promise<Outcome> {
    while (this.#alone !== undefined) await this.#alone
    const outcome = ask()
    this.#underWay.add(outcome)
    try {
      return await outcome
    } finally {
      this.#underWay.delete(outcome)
    }
  }

  /** Makes a call after all others have ended. No other begins until it has ended. */
  async callAlone<Outcome>(ask: () => Promise<Outcome>): Promise<Outcome> {
    while (this.#alone !== undefined) await this.#alone
    const outcome = Promise.allSettled(this.#underWay).then(ask)
    this.#alone = outcome.catch(() => undefined)
    try {
      return await outcome
    } finally {
      this.#alone = undefined
    }
  }
}
