import type { AttemptError, AttemptWatch } from '../../../model.js'
import { type Endpoint, withQuery } from '../protocol/endpoint.js'
import type { ErrorAnswer, ReceivedAnswer } from '../protocol/failure.js'
import type { StreamedAnswer } from '../protocol/protocol.js'
import { Attempt } from './attempt.js'
import { ConnectionPool } from './connection-pool.js'
import type { HeldBody } from './held-media.js'
import type { Body } from './media-body.js'
import { routeTo } from './route.js'
import type { AttemptTimeouts } from './watchdog.js'

interface ConnectionOptions {
  readonly endpoint: Endpoint
  /** The headers other than content type and length. One of them holds the key. */
  readonly headers: Readonly<Record<string, string>>
  /** @default 'application/json' */
  readonly contentType?: string
  readonly patience: AttemptTimeouts
  /** Makes the failure for a response with an error status. */
  readonly failure: (answer: ErrorAnswer) => AttemptError
}

export interface PostOptions {
  readonly signal: AbortSignal
  readonly watch?: AttemptWatch | undefined
  /** Assembles the answer, if a stream is requested. */
  readonly streamed?: StreamedAnswer | undefined
}

/** The connections to one server, which are reused. */
export interface Connection {
  /**
   * Sends a request and returns a response with a status of 2xx.
   *
   * @param path the path under the endpoint's origin, with a query if it needs one
   * @throws AttemptError for any other status, or without a complete response in time. The signal's reason once it is
   *   aborted.
   */
  post(path: string, body: Body | HeldBody, options: PostOptions): Promise<ReceivedAnswer>
  close(): Promise<void>
}

/** Uses undici directly, because the official SDK on top of it takes four times as long a request. */
export function openConnection({
  endpoint,
  headers: own,
  contentType = 'application/json',
  patience,
  failure,
}: ConnectionOptions): Connection {
  const route = routeTo(endpoint)
  const pool = new ConnectionPool(route)
  const aborted = new AbortListeners()
  const headers = ['content-type', contentType, ...Object.entries(own).flat(), ...route.headers]
  const acceptHeaders = (type: string) => [...headers, 'accept', type, 'content-length']
  const [forWhole, forPieces] = [
    acceptHeaders('application/json'),
    acceptHeaders('text/event-stream, application/json'),
  ]
  return {
    post: (path, body, { signal, watch, streamed }) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        const connection = pool.take()
        const attempt = new Attempt({
          endpoint,
          connection,
          body,
          patience,
          watch,
          streamed,
          settle(outcome) {
            forget()
            if ('error' in outcome) {
              pool.drop(connection)
              reject(outcome.error)
              return
            }
            if (streamed === undefined) pool.release(connection)
            else pool.releaseLater(connection)
            const { answer } = outcome
            if (answer.status < 300) resolve(answer)
            else reject(failure(answer))
          },
        })
        const forget = aborted.add(signal, () => attempt.breakOff(signal.reason))
        const sent = [...(streamed === undefined ? forWhole : forPieces), String(body.length)]
        connection.client.dispatch(
          {
            path: route.pathPrefix + withQuery(path, endpoint.query),
            method: 'POST',
            headers: sent,
            body: attempt.content,
          },
          attempt,
        )
      }),
    close: () => pool.close(),
  }
}

/**
 * Shares one listener on each signal among many callers. Hundreds of attempts use the same signal, and an `EventTarget`
 * searches all its listeners on every change.
 */
export class AbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, Set<() => void>>()

  /** @param listener called when the signal is aborted, unless the returned function was called before */
  add(signal: AbortSignal, listener: () => void): () => void {
    const listeners = this.#bySignal.get(signal) ?? this.#listen(signal)
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  #listen(signal: AbortSignal): Set<() => void> {
    const listeners = new Set<() => void>()
    this.#bySignal.set(signal, listeners)
    const onAbort = (): void => {
      for (const listener of listeners) listener()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    return listeners
  }
}
