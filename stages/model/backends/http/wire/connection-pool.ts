import { Client } from 'undici'
import { withoutContinue, type InformationalFilter } from './informational-responses.js'
import type { Route } from './route.js'

/** A place for one request at a time, with a socket that is kept between them while the server keeps it. */
export interface PooledConnection {
  readonly client: Client
  /** Sockets that were opened for it. */
  opened: number
  /** Of its socket, while it has one. */
  interim: InformationalFilter | undefined
}

const restMs = 20
const longestAnswer = 64 * 1024 * 1024

/**
 * Lines to one server: as many as are wanted at once. Unlike undici's pool it tells which socket a request has, and
 * whether that is a new one.
 */
export class ConnectionPool {
  readonly #route: Route
  readonly #all = new Set<PooledConnection>()
  readonly #idle: PooledConnection[] = []

  constructor(route: Route) {
    this.#route = route
  }

  /** The one that was used last, whose socket is the likeliest to be there still. */
  take(): PooledConnection {
    return this.#idle.pop() ?? this.#open()
  }

  release(line: PooledConnection): void {
    if (this.#all.has(line)) this.#idle.push(line)
  }

  /**
   * As `giveBack`, a moment later. After an answer in pieces some servers, llama.cpp's among them, close the connection
   * without having said so: the next request would meet its end.
   */
  giveBackRested(line: PooledConnection): void {
    setTimeout(() => this.release(line), restMs).unref()
  }

  /** Closes a line, whatever it does. */
  drop(line: PooledConnection): void {
    this.#all.delete(line)
    void line.client.destroy()
  }

  async close(): Promise<void> {
    const lines = [...this.#all]
    this.#all.clear()
    this.#idle.length = 0
    await Promise.all(lines.map(({ client }) => client.destroy()))
  }

  #open(): PooledConnection {
    const client = new Client(this.#route.origin, {
      connect: (options, callback) => {
        line.opened += 1
        this.#route.connect(options, (...[error, socket]) => {
          if (error !== null) {
            callback(error, null)
            return
          }
          line.interim = withoutContinue(socket)
          callback(null, socket)
        })
      },
      // Deadlines are the attempt's: a long generation is silent for minutes before its first byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: longestAnswer,
    })
    const line: PooledConnection = { client, opened: 0, interim: undefined }
    this.#all.add(line)
    return line
  }
}
