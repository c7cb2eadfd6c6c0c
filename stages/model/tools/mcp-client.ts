import { AsyncLocalStorage } from 'node:async_hooks'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import type { Clock } from '../../../base/time/clock.js'
import { messageOf, PipelineError, systemCode } from '../../../base/errors/errors.js'
import { makeCallFailure, isAccess, isOlderServer, readHttpStatus, type CallFailure } from './mcp-failure.js'
import { maskSecrets, shownServer, type StdioServer, type ToolServer } from './tool-server.js'

/** The number of characters of a program's standard error that are kept for messages. */
const keptErrors = 2_000
/** The time that a server may take to start and to list its tools. */
const startMs = 60_000
/** The maximum size of a program's message. The SDK's own limit of 10 MB is less than some images. */
const mostBytes = 64 * 1024 * 1024
/** Disables the SDK's timeout, whose error has the same code as errors of servers. */
const noTimeout = 2 ** 31 - 1
/** The time to wait for an answer to be read after its stream has ended. */
const settleMs = 1_000

export interface CallOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Called before the call is sent, when the server is connected. */
  readonly begin?: (() => Promise<void>) | undefined
}

/** Accepts any result. Its parts are checked separately, so a newer server does not count as broken. */
const anyResult = z.looseObject({})
export type CallResult = z.output<typeof anyResult>

export type CallOutcome = { readonly type: 'result'; readonly result: CallResult } | CallFailure

/** A connection with one MCP server (Model Context Protocol). It is made when needed, and again after it was lost. */
export class McpClient {
  readonly #server: ToolServer
  readonly #version: string
  readonly #clock: Clock
  /** Replaced connections. They are closed at the end, because calls may still be in flight there. */
  readonly #replaced: Client[] = []
  readonly #calling = new AsyncLocalStorage<() => void>()
  #client: Promise<Client> | undefined
  #errors = ''

  constructor(server: ToolServer, { version, clock }: { readonly version: string; readonly clock: Clock }) {
    this.#server = server
    this.#version = version
    this.#clock = clock
  }

  /** Lists all tools of the server. @throws PipelineError if the server cannot be started or reached */
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

  /** Calls a tool. @throws Error only if `signal` was aborted or `begin` failed */
  async call(name: string, args: Record<string, unknown>, options: CallOptions): Promise<CallOutcome> {
    const { signal, begin } = options
    const connected = this.#connected()
    let client: Client
    try {
      client = await connected
    } catch (error) {
      return this.#failed(error, { connected, isSent: false })
    }
    signal.throwIfAborted()
    await begin?.()
    try {
      const result = await this.#ask(client, { method: 'tools/call', params: { name, arguments: args } }, options)
      return { type: 'result', result }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof LateError) return { type: 'refused', message: error.message }
      const { McpError } = await import('@modelcontextprotocol/sdk/types.js')
      // The SDK's code for a closed connection is also used by servers for their own errors.
      if (error instanceof McpError && client.transport !== undefined)
        return { type: 'refused', message: maskSecrets(this.#server, messageOf(error)) }
      return this.#failed(error, { connected, isSent: true })
    }
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined)
    this.#client = undefined
    await Promise.all(this.#replaced.splice(0).map(oldClient => oldClient.close()))
    if (client === undefined) return
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
    // Ends the session at the server. Failure is harmless if the server is gone.
    if (client.transport instanceof StreamableHTTPClientTransport)
      await client.transport.terminateSession().catch(() => undefined)
    await client.close()
  }

  /** @throws LateError if there is no result in time, BrokenError if only this call's connection has ended */
  async #ask(
    client: Client,
    request: { method: 'tools/call'; params: Record<string, unknown> },
    { signal, timeoutMs }: CallOptions,
  ): Promise<CallResult> {
    // The SDK never removes its listener, and the run's signal lives as long as the run.
    const ended = new AbortController()
    let reason: Error | undefined
    const end = (error?: Error): void => {
      reason ??= error
      ended.abort(error ?? signal.reason)
    }
    const onAbort = (): void => end()
    const timers = [this.#clock.after(timeoutMs, () => end(new LateError(`no result within ${timeoutMs / 1000} s`)))]
    let canResume = false
    const onStreamEnd = (): void => {
      if (!canResume) timers.push(this.#clock.after(settleMs, () => end(new BrokenError())))
    }
    signal.addEventListener('abort', onAbort)
    try {
      return await this.#calling.run(onStreamEnd, () =>
        client.request(request, anyResult, {
          signal: ended.signal,
          timeout: noTimeout,
          // The SDK itself resumes a stream whose events are numbered.
          onresumptiontoken: () => void (canResume = true),
        }),
      )
    } catch (error) {
      throw reason ?? error
    } finally {
      for (const cancel of timers) cancel()
      signal.removeEventListener('abort', onAbort)
    }
  }

  #failed(
    error: unknown,
    { connected, isSent }: { readonly connected: Promise<Client>; readonly isSent: boolean },
  ): CallFailure {
    const failure = makeCallFailure(error, { server: this.#server, isSent, message: this.#why(error) })
    // A program that has ended takes its connection with it. An HTTP connection may carry other calls in flight.
    if (this.#server.type === 'stdio') this.#drop(connected)
    else if (failure.type !== 'refused') this.#replace(connected)
    return failure
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

  /** Drops a lost connection, unless there is a new one already. */
  #drop(lost: Promise<Client>): void {
    if (this.#client !== lost) return
    this.#client = undefined
    void lost.then(
      client => client.close(),
      () => undefined,
    )
  }

  /** Makes the next call connect again. Calls in flight may still end. */
  #replace(lost: Promise<Client>): void {
    if (this.#client !== lost) return
    this.#client = undefined
    void lost.then(
      client => void this.#replaced.push(client),
      () => undefined,
    )
  }

  async #transport(): Promise<Transport> {
    const server = this.#server
    if (server.type === 'stdio') return this.#program(server)
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
    return new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { ...server.headers } },
      fetch: this.#fetch,
    })
  }

  /** Tells a call when the stream of its request ends, because the SDK does not report that its server is gone. */
  readonly #fetch: FetchLike = async (url, init) => {
    const response = await fetch(url, init)
    const onEnd = this.#calling.getStore()
    if (onEnd === undefined || init?.method !== 'POST' || response.body === null) return response
    return new Response(ReadableStream.from(withEnd(response.body, onEnd)), response)
  }

  async #program({ command, args, env, cwd }: StdioServer): Promise<Transport> {
    const { getDefaultEnvironment, StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      env: { ...getDefaultEnvironment(), ...env },
      stderr: 'pipe',
      maxBufferSize: mostBytes,
      ...(cwd === undefined ? {} : { cwd }),
    })
    this.#errors = ''
    transport.stderr?.on('data', (chunk: Buffer) => {
      this.#errors = `${this.#errors}${chunk.toString()}`.slice(-keptErrors)
    })
    return transport
  }

  /** Describes an error, with the program's last output. */
  #why(error: unknown): string {
    const said = this.#errors.trim()
    const isMissing = this.#server.type === 'stdio' && systemCode(error) === 'ENOENT'
    const hint = isMissing
      ? ` (there is no program "${this.#server.command}": install it, or give its path)`
      : isAccess(error)
        ? ` (status ${readHttpStatus(error)}: it lets in whoever has the right headers, which the settings of the server can give)`
        : ''
    return maskSecrets(this.#server, `${messageOf(error)}${hint}${said === '' ? '' : `. It said: ${said}`}`)
  }
}

/** The error for a call that took too long. */
class LateError extends Error {
  override readonly name = 'LateError'
}

/** The error for a connection that ended before the result of a call. */
class BrokenError extends Error {
  override readonly name = 'BrokenError'
  constructor() {
    super('the connection ended before the result')
  }
}

async function* withEnd(body: AsyncIterable<Uint8Array>, onEnd: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } finally {
    onEnd()
  }
}
