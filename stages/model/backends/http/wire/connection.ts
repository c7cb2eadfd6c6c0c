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
  /** Beside content type and length; the key is in one of them. */
  readonly headers: Readonly<Record<string, string>>
  readonly patience: AttemptTimeouts
  /** The failure that an answer with an error status stands for. */
  readonly failure: (answer: ErrorAnswer) => AttemptError
}

export interface PostOptions {
  readonly signal: AbortSignal
  readonly watch?: AttemptWatch | undefined
  /** Puts the answer together, where it is asked for in pieces. */
  readonly streamed?: StreamedAnswer | undefined
}

/** Sockets to one server, reused. */
export interface Connection {
  /**
   * What the server answers with a status of success.
   *
   * @param path of the call, under the endpoint's origin; with a query, if it has one.
   * @throws AttemptError for any other status, and where no whole answer came in time; the signal's reason once it is aborted.
   */
  post(path: string, body: Body | HeldBody, options: PostOptions): Promise<ReceivedAnswer>
  close(): Promise<void>
}

/** Straight on undici: the official SDK on top of it costs four times as much time a request. */
export function openConnection({ endpoint, headers: own, patience, failure }: ConnectionOptions): Connection {
  const route = routeTo(endpoint)
  const lines = new ConnectionPool(route)
  const aborted = new AbortListeners()
  const headers = ['content-type', 'application/json', ...Object.entries(own).flat(), ...route.headers]
  const accepting = (type: string) => [...headers, 'accept', type, 'content-length']
  const [forWhole, forPieces] = [accepting('application/json'), accepting('text/event-stream, application/json')]
  return {
    post: (path, body, { signal, watch, streamed }) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        const line = lines.take()
        const attempt = new Attempt({
          endpoint,
          line,
          body,
          patience,
          watch,
          streamed,
          settle(outcome) {
            forget()
            if ('error' in outcome) {
              lines.drop(line)
              reject(outcome.error)
              return
            }
            if (streamed === undefined) lines.release(line)
            else lines.giveBackRested(line)
            const { answer } = outcome
            if (answer.status < 300) resolve(answer)
            else reject(failure(answer))
          },
        })
        const forget = aborted.add(signal, () => attempt.breakOff(signal.reason))
        const sent = [...(streamed === undefined ? forWhole : forPieces), String(body.length)]
        line.client.dispatch(
          {
            path: route.pathPrefix + withQuery(path, endpoint.query),
            method: 'POST',
            headers: sent,
            body: attempt.content,
          },
          attempt,
        )
      }),
    close: () => lines.close(),
  }
}

/**
 * Listens to signals on behalf of many, with one listener on each signal: hundreds of attempts share one, and an
 * `EventTarget` looks through all its listeners whenever one comes or goes.
 */
export class AbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, Set<() => void>>()

  /** @param listener called when the signal is aborted, unless what is returned was called before */
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
