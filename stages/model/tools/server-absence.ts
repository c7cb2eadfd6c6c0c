import type { Clock } from '../../../base/clock.js'
import { PipelineError } from '../../../base/errors.js'

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
    await new Promise<void>(resolve => {
      const end = (): void => {
        cancel()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const cancel = this.#clock.after(Math.min(mostWaitMs, firstWaitMs * 2 ** waits), end)
      signal.addEventListener('abort', end)
      if (signal.aborted) end()
    })
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
