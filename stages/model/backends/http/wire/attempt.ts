import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { messageOf } from '../../../../../base/errors/errors.js'
import { AttemptError, type AttemptWatch } from '../../../model.js'
import { bodyReader, type BodyReader } from './answer-body.js'
import { connectionFailure, type Phase } from './connection-failure.js'
import { shownBaseUrl, type Endpoint } from '../protocol/endpoint.js'
import type { ErrorAnswer } from '../protocol/failure.js'
import { type Headers, readRateLimits } from '../protocol/rate-limits.js'
import type { HeldBody } from './held-media.js'
import type { PooledConnection } from './connection-pool.js'
import type { Body } from './media-body.js'
import { sentBody } from './sent-body.js'
import type { StreamedAnswer } from '../protocol/protocol.js'
import { Watchdog, type AttemptTimeouts } from './watchdog.js'

export interface AttemptOptions {
  readonly endpoint: Endpoint
  readonly connection: PooledConnection
  readonly body: Body | HeldBody
  readonly patience: AttemptTimeouts
  readonly watch?: AttemptWatch | undefined
  /** Assembles the answer, if a stream was requested. */
  readonly streamed?: StreamedAnswer | undefined
  /** Called once, with the complete response of any status, or with the error. */
  readonly settle: (outcome: { readonly answer: ErrorAnswer } | { readonly error: Error }) => void
}

/** Sends one request over a connection and receives the response. */
export class Attempt implements Dispatcher.DispatchHandler {
  /** The body in the form that undici needs. */
  readonly content: Buffer | Readable
  readonly #options: AttemptOptions
  readonly #watchdog: Watchdog
  readonly #openedBefore: number
  readonly #isStreamed: boolean
  #phase: Phase = 'connecting'
  #head: { readonly status: number; readonly headers: Headers; readonly body: BodyReader } | undefined
  #isSettled = false
  #hasText = false

  constructor(options: AttemptOptions) {
    this.#options = options
    this.#openedBefore = options.connection.opened
    this.#isStreamed = options.streamed !== undefined
    this.#watchdog = new Watchdog(options.patience, why => this.#timeOut(why))
    this.content = sentBody(options.body, {
      onSent: bytes => this.#onSent(bytes),
      onEnd: () => this.#waitForAnswer(),
    })
  }

  /** Ends the attempt from outside. */
  breakOff(reason: unknown): void {
    this.#settle({ error: reason instanceof Error ? reason : new Error(messageOf(reason)) })
  }

  onRequestStart(): void {
    const { connection, watch } = this.#options
    connection.interim?.expectAnswer()
    watch?.({ type: 'connected', isReused: connection.opened === this.#openedBefore })
    if (this.content instanceof Buffer) {
      watch?.({ type: 'sent', bytes: this.content.length })
      this.#waitForAnswer()
    } else {
      this.#phase = 'sending'
      this.#watchdog.expect('request')
    }
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200 || this.#isSettled) return
    this.#phase = 'receiving'
    const limits = readRateLimits(headers)
    if (limits !== undefined) this.#options.watch?.({ type: 'limits', limits })
    this.#watchdog.expect('answer', 'in time')
    const { streamed } = this.#options
    const pieces = streamed && status < 300 ? { answer: streamed, onText: () => this.#onText() } : undefined
    this.#try(() => (this.#head = { status, headers, body: bodyReader(headers, pieces) }))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return
    this.#options.watch?.({ type: 'received', bytes: chunk.length })
    // The first events of a stream may contain no text. They only show that the server is at work.
    if (this.#isStreamed && !this.#hasText) this.#watchdog.progress()
    else this.#watchdog.expect('answer')
    this.#try(() => this.#head?.body.write(chunk))
  }

  onResponseEnd(): void {
    void this.#finish()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
  }

  async #finish(): Promise<void> {
    const head = this.#head
    if (head === undefined || this.#isSettled) return
    try {
      const text = await head.body.end()
      this.#settle({ answer: { status: head.status, headers: head.headers, text } })
    } catch (error) {
      this.#fail(error)
    }
  }

  #onText(): void {
    if (this.#hasText) return
    this.#hasText = true
    this.#options.watch?.({ type: 'first-token' })
  }

  #waitForAnswer(): void {
    if (this.#phase === 'receiving') return
    this.#phase = 'waiting'
    if (this.#isStreamed) this.#watchdog.expect('answer', 'in time')
    else this.#watchdog.relax()
  }

  #onSent(bytes: number): void {
    this.#options.watch?.({ type: 'sent', bytes })
    if (this.#phase === 'sending') this.#watchdog.progress()
  }

  #try(work: () => unknown): void {
    try {
      work()
    } catch (error) {
      this.#fail(error)
    }
  }

  #timeOut(why: string): void {
    const message = `${shownBaseUrl(this.#options.endpoint)}: ${why}`
    this.#fail(new AttemptError('timeout', message, { isRetryable: true }))
  }

  #fail(error: unknown): void {
    this.#settle({ error: connectionFailure(error, this.#options.endpoint, this.#phase) })
  }

  #settle(outcome: Parameters<AttemptOptions['settle']>[0]): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#watchdog.end()
    this.#options.settle(outcome)
  }
}
