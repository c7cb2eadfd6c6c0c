import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { Route } from './route.js'

/** A place for one request at a time, with a socket that is kept between them while the server keeps it. */
export interface PooledConnection {
  readonly client: Client
  /** Sockets that were opened for it. */
  opened: number
  /** The filter of its socket, while it has one. */
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

/** Watches what comes over one socket. */
interface InformationalFilter {
  /** A request begins: what comes next is the beginning of an answer. */
  expectAnswer(): void
}

const continues = /^HTTP\/1\.[01] 100[ \r]/
/** This many bytes tell whether a head is to be left out. */
const tellingBytes = 13
const longestHead = 16 * 1024
const nothing: Buffer = Buffer.alloc(0)

/**
 * Leaves out `100 Continue` where an answer begins. Any server may say it unasked, and clients must bear it (RFC 9110, 15.2), but undici
 * breaks off the connection and has no option for it. It reads by `socket.read()` alone, so that this is where it can be left out.
 */
function withoutContinue(socket: Socket): InformationalFilter {
  const read = socket.read.bind(socket)
  let isBeginning = false
  let held = nothing
  socket.read = () => {
    for (;;) {
      const chunk = read() as Buffer | null
      if (chunk === null || !isBeginning) return chunk
      const { rest, isTold } = afterContinues(held.length === 0 ? chunk : Buffer.concat([held, chunk]))
      isBeginning = !isTold
      held = isTold ? nothing : rest
      if (isTold) return rest
    }
  }
  return {
    expectAnswer() {
      isBeginning = true
      held = nothing
    },
  }
}

/** What follows the heads that are to be left out, and whether it is told by now that it is none of them. */
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
