import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { messageOf, PipelineError, systemCode } from '../../../base/errors.js'
import { masked, shownServer, type StdioServer, type ToolServer } from './tool-server.js'

/** Of a server's errors so much is kept for messages. */
const keptErrors = 2_000
/** How long a server may take to start and to say what it offers. */
const startMs = 60_000

export interface CallOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** What came of a call, as far as the protocol knows. */
export type CallOutcome =
  | { readonly type: 'result'; readonly result: CallToolResult }
  /** The server refused it, or took too long. */
  | { readonly type: 'refused'; readonly message: string }
  /** The server was not there to hear it, or to answer. */
  | { readonly type: 'lost'; readonly message: string }

/** A connection with one server of the Model Context Protocol, made when it is needed, and again when it was lost. */
export class McpClient {
  readonly #server: ToolServer
  readonly #version: string
  #client: Promise<Client> | undefined
  #errors = ''

  constructor(server: ToolServer, version: string) {
    this.#server = server
    this.#version = version
  }

  /** All tools that the server offers. @throws PipelineError where it can't be started or reached. */
  async tools(): Promise<readonly Tool[]> {
    try {
      const client = await this.#connected()
      const tools: Tool[] = []
      let cursor: string | undefined
      do {
        const page = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: startMs })
        tools.push(...page.tools)
        cursor = page.nextCursor
      } while (cursor !== undefined)
      return tools
    } catch (error) {
      throw new PipelineError(
        'config',
        `tool server ${shownServer(this.#server)} does not say what it offers: ${this.#why(error)}`,
        { cause: error },
      )
    }
  }

  /** @throws Error where `signal` was aborted, and nothing else. */
  async call(name: string, args: Record<string, unknown>, { signal, timeoutMs }: CallOptions): Promise<CallOutcome> {
    const { ErrorCode, McpError } = await import('@modelcontextprotocol/sdk/types.js')
    const connected = this.#connected()
    // The SDK listens to it for ever, and the run's own lives as long as the run.
    const ended = new AbortController()
    const onAbort = (): void => ended.abort(signal.reason)
    signal.addEventListener('abort', onAbort)
    try {
      const client = await connected
      signal.throwIfAborted()
      const options = { signal: ended.signal, timeout: timeoutMs }
      const result = await client.callTool({ name, arguments: args }, undefined, options)
      return { type: 'result', result: result as CallToolResult }
    } catch (error) {
      signal.throwIfAborted()
      const code: number | undefined = error instanceof McpError ? error.code : undefined
      if (code === (ErrorCode.RequestTimeout as number))
        return { type: 'refused', message: `no result within ${timeoutMs / 1000} s` }
      if (code !== undefined && code !== (ErrorCode.ConnectionClosed as number))
        return { type: 'refused', message: masked(this.#server, messageOf(error)) }
      this.#drop(connected)
      return { type: 'lost', message: this.#why(error) }
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined)
    this.#client = undefined
    if (client === undefined) return
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
    // A server that keeps sessions is told; one that is gone needs not be.
    if (client.transport instanceof StreamableHTTPClientTransport)
      await client.transport.terminateSession().catch(() => undefined)
    await client.close()
  }

  #connected(): Promise<Client> {
    if (this.#client !== undefined) return this.#client
    const client = this.#connect(() => this.#drop(client))
    client.catch(() => this.#drop(client))
    this.#client = client
    return client
  }

  async #connect(onClose: () => void): Promise<Client> {
    try {
      return await this.#connectBy(await this.#transport(), onClose)
    } catch (error) {
      if (this.#server.type === 'stdio' || !isOlderServer(error)) throw error
      const { url, headers = {} } = this.#server
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- servers that know no other way are still about
      const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js')
      return this.#connectBy(
        new SSEClientTransport(new URL(url), { requestInit: { headers: { ...headers } } }),
        onClose,
      )
    }
  }

  async #connectBy(transport: Transport, onClose: () => void): Promise<Client> {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
    const client = new Client({ name: 'pipeline', version: this.#version })
    await client.connect(transport, { timeout: startMs })
    client.onclose = onClose
    return client
  }

  /** Forgets a connection that was lost, unless there is another one already. */
  #drop(lost: Promise<Client>): void {
    if (this.#client !== lost) return
    this.#client = undefined
    void lost.then(
      client => client.close(),
      () => undefined,
    )
  }

  async #transport(): Promise<Transport> {
    const server = this.#server
    if (server.type === 'stdio') return this.#program(server)
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
    return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { ...server.headers } } })
  }

  async #program({ command, args, env, cwd }: StdioServer): Promise<Transport> {
    const { getDefaultEnvironment, StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      env: { ...getDefaultEnvironment(), ...env },
      stderr: 'pipe',
      ...(cwd === undefined ? {} : { cwd }),
    })
    this.#errors = ''
    transport.stderr?.on('data', (chunk: Buffer) => {
      this.#errors = `${this.#errors}${chunk.toString()}`.slice(-keptErrors)
    })
    return transport
  }

  /** What went wrong, with what a program said last. */
  #why(error: unknown): string {
    const said = this.#errors.trim()
    const isMissing = this.#server.type === 'stdio' && systemCode(error) === 'ENOENT'
    const hint = isMissing
      ? ` (there is no program "${this.#server.command}": install it, or give its path)`
      : isAccess(error)
        ? ` (status ${statusOf(error)}: it lets in whoever has the right headers, which a file for --tools can give)`
        : ''
    return masked(this.#server, `${messageOf(error)}${hint}${said === '' ? '' : `. It said: ${said}`}`)
  }
}

/** The status that a server by HTTP answered instead of a message. */
const statusOf = (error: unknown): number | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' && error.code >= 100
    ? error.code
    : undefined

const isAccess = (error: unknown): boolean => [401, 403].includes(statusOf(error) ?? 0)

/**
 * Servers of the protocol's first version know no request that opens a session: they answer 4xx, and are asked by events
 * then. Who is not let in is no reason to ask otherwise.
 */
function isOlderServer(error: unknown): boolean {
  const status = statusOf(error) ?? 0
  return status >= 400 && status < 500 && !isAccess(error)
}
