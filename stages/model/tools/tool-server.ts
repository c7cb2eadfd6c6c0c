import type { Clock } from '../../../base/time/clock.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { withoutSecrets } from '../../../base/text/secrets.js'
import { pause } from '../../../base/time/pause.js'

/** A server of tools, and how to reach it. */
export type ToolServer = StdioServer | HttpServer

interface AnyServer {
  /** The name for messages. It is also the prefix of tool names that two servers offer. */
  readonly name: string
  /** Secret values of environment variables and headers, which are hidden in messages and results. */
  readonly secrets?: readonly string[]
}

/** A program that is started, and that communicates through its standard input and output. */
export interface StdioServer extends AnyServer {
  readonly type: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  /** Variables beside the basic ones (`PATH`, `HOME`, …). Other secrets of the environment are not passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server that is already running. */
interface HttpServer extends AnyServer {
  readonly type: 'http'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns the server's name for messages. */
export function shownServer(server: ToolServer): string {
  if (server.type === 'stdio')
    return maskSecrets(server, `${server.name} (${[server.command, ...server.args].join(' ')})`)
  const { origin, pathname } = new URL(server.url)
  return maskSecrets(server, `${server.name} (${origin}${pathname})`)
}

/** Masks the server's secrets in a text. */
export const maskSecrets = ({ secrets = [] }: ToolServer, text: string): string => withoutSecrets(text, secrets)

/** The time to wait for a server that has answered before, as for a model's server. */
const limitMs = 5 * 60_000
const firstWaitMs = 250
const mostWaitMs = 10_000

/** A period in which a server does not answer. All waiting calls share it. */
export class ServerAbsence {
  readonly #server: string
  readonly #clock: Clock
  readonly #note: (text: string) => void
  #since: number | undefined

  constructor(server: string, { clock, note }: { readonly clock: Clock; readonly note: (text: string) => void }) {
    this.#server = server
    this.#clock = clock
    this.#note = note
  }

  /**
   * Resolves when the server should be tried again.
   *
   * @param waits how many times this call has waited already
   * @throws PipelineError after five minutes, because no conversation can continue without the server
   */
  async wait(waits: number, message: string, signal: AbortSignal): Promise<void> {
    const now = this.#clock.now()
    if (this.#since === undefined) {
      this.#since = now
      this.#note(`tool server ${this.#server} does not answer (${message}): its calls wait for it`)
    }
    if (now - this.#since >= limitMs)
      throw new PipelineError('config', [
        `tool server ${this.#server} has not answered for ${Math.round((now - this.#since) / 1000)} s: ${message}`,
        'What was answered is kept. When the server is there again, the same command continues.',
      ])
    await pause(Math.min(mostWaitMs, firstWaitMs * 2 ** waits), this.#clock, [signal])
    signal.throwIfAborted()
  }

  /** Notes that the server has answered. */
  ended(): void {
    if (this.#since === undefined) return
    const seconds = Math.round((this.#clock.now() - this.#since) / 1000)
    this.#since = undefined
    this.#note(`tool server ${this.#server} answers again, after ${seconds} s`)
  }
}
