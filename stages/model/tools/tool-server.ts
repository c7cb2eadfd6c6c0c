import type { Clock } from '../../../base/time/clock.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { withoutSecrets } from '../../../base/text/secrets.js'
import { pause } from '../schedule/loop/retry.js'

/** Who offers tools, and how it is reached. */
export type ToolServer = StdioServer | HttpServer

interface AnyServer {
  /** For messages, and before the names of tools that two servers offer. */
  readonly name: string
  /** What must stand in no message, and in no result: values of the environment and of headers. */
  readonly secrets?: readonly string[]
}

/** A program that is started, and speaks through its standard input and output. */
export interface StdioServer extends AnyServer {
  readonly type: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  /** Beside what every program needs (`PATH`, `HOME`, …): secrets of others are not handed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server that runs already. */
interface HttpServer extends AnyServer {
  readonly type: 'http'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** How it is called in messages. */
export function shownServer(server: ToolServer): string {
  if (server.type === 'stdio') return masked(server, `${server.name} (${[server.command, ...server.args].join(' ')})`)
  const { origin, pathname } = new URL(server.url)
  return masked(server, `${server.name} (${origin}${pathname})`)
}

/** A text without what must not be shown. */
export const masked = ({ secrets = [] }: ToolServer, text: string): string => withoutSecrets(text, secrets)

/** A server that has answered before is waited for so long, as a model's server is. */
const limitMs = 5 * 60_000
const firstWaitMs = 250
const mostWaitMs = 10_000

/** The time in which a server does not answer, for all calls that wait for it. */
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
   * Resolves when the server is to be asked again.
   *
   * @param waits how often this call has waited already
   * @throws PipelineError where the server was away for five minutes: no conversation can go on without it
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
        'What was answered is kept. When the server is there again, the same line goes on.',
      ])
    await pause(Math.min(mostWaitMs, firstWaitMs * 2 ** waits), this.#clock, [signal])
    signal.throwIfAborted()
  }

  /** The server has answered. */
  ended(): void {
    if (this.#since === undefined) return
    const seconds = Math.round((this.#clock.now() - this.#since) / 1000)
    this.#since = undefined
    this.#note(`tool server ${this.#server} answers again, after ${seconds} s`)
  }
}
