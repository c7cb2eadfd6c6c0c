import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { Route } from './route.js'

/** A connection for one request at a time. It keeps its socket between requests while the server keeps it. */
export interface PooledConnection {
  readonly client: Client
  /** The number of sockets that were opened for it. */
  opened: number
  /** The filter of its current socket. */
  interim: InformationalFilter | undefined
}

const restMs = 20
const longestAnswer = 64 * 1024 * 1024

/**
 * A pool of connections to one server. It opens as many as are needed at once. Unlike undici's pool, it tells whether a
 * request uses a new socket.
 */
export class ConnectionPool {
  readonly #route: Route
  readonly #all = new Set<PooledConnection>()
  readonly #idle: PooledConnection[] = []

  constructor(route: Route) {
    this.#route = route
  }

  /** Takes the connection that was used last, because its socket is most likely still open. */
  take(): PooledConnection {
    return this.#idle.pop() ?? this.#open()
  }

  release(connection: PooledConnection): void {
    if (this.#all.has(connection)) this.#idle.push(connection)
  }

  /**
   * Releases a connection after a short delay. After a stream, some servers, such as llama.cpp's, close the connection
   * without notice, and the next request would fail.
   */
  releaseLater(connection: PooledConnection): void {
    setTimeout(() => this.release(connection), restMs).unref()
  }

  /** Closes a connection, even in use. */
  drop(connection: PooledConnection): void {
    this.#all.delete(connection)
    void connection.client.destroy()
  }

  async close(): Promise<void> {
    const connections = [...this.#all]
    this.#all.clear()
    this.#idle.length = 0
    await Promise.all(connections.map(({ client }) => client.destroy()))
  }

  #open(): PooledConnection {
    const client = new Client(this.#route.origin, {
      connect: (options, callback) => {
        connection.opened += 1
        this.#route.connect(options, (...[error, socket]) => {
          if (error !== null) {
            callback(error, null)
            return
          }
          connection.interim = withoutContinue(socket)
          callback(null, socket)
        })
      },
      // The attempt has its own deadlines. A long generation may be silent for minutes before its first byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: longestAnswer,
    })
    const connection: PooledConnection = { client, opened: 0, interim: undefined }
    this.#all.add(connection)
    return connection
  }
}

/** Filters what arrives on one socket. */
interface InformationalFilter {
  /** Marks the start of a request, so that the next bytes begin a response. */
  expectAnswer(): void
}

const continues = /^HTTP\/1\.[01] 100[ \r]/
/** The number of bytes needed to recognise a head that is skipped. */
const tellingBytes = 13
const longestHead = 16 * 1024
const nothing: Buffer = Buffer.alloc(0)

/**
 * Skips `100 Continue` at the start of a response. Any server may send it and clients must accept it (RFC 9110, 15.2),
 * but undici closes the connection. Since undici reads only with `socket.read()`, the filter replaces that method.
 */
function withoutContinue(socket: Socket): InformationalFilter {
  const read = socket.read.bind(socket)
  let isBeginning = false
  let pendingBytes = nothing
  socket.read = () => {
    for (;;) {
      const chunk = read() as Buffer | null
      if (chunk === null || !isBeginning) return chunk
      const { rest, isTold } = afterContinues(pendingBytes.length === 0 ? chunk : Buffer.concat([pendingBytes, chunk]))
      isBeginning = !isTold
      pendingBytes = isTold ? nothing : rest
      if (isTold) return rest
    }
  }
  return {
    expectAnswer() {
      isBeginning = true
      pendingBytes = nothing
    },
  }
}

/** Returns the bytes behind the skipped heads, and whether it is certain that no further head follows. */
function afterContinues(bytes: Buffer): { readonly rest: Buffer; readonly isTold: boolean } {
  let rest = bytes
  for (;;) {
    const beginning = rest.toString('latin1', 0, tellingBytes)
    if (rest.length < tellingBytes) return { rest, isTold: !mayBecomeOne(beginning) }
    if (!continues.test(beginning)) return { rest, isTold: true }
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return { rest, isTold: rest.length > longestHead }
    rest = rest.subarray(end + 4)
  }
}

const mayBecomeOne = (beginning: string): boolean =>
  ['HTTP/1.1 100', 'HTTP/1.0 100'].some(head => head.startsWith(beginning.slice(0, head.length)))
