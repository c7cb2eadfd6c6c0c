import { RefusedError } from '../problems.js'

/** The maximum number of open streams of all clients together. */
const mostStreams = 1000

/** Counts the open event streams of one route, to limit them. */
export class OpenStreams {
  readonly #mostOfClient: number
  readonly #ofClients = new Map<string, number>()
  #count = 0

  /** @param mostOfClient the maximum number of open streams of each client */
  constructor(mostOfClient: number) {
    this.#mostOfClient = mostOfClient
  }

  /** Counts a stream of a client. @returns a function to call once when it ends @throws RefusedError if too many are open */
  open(client: string): () => void {
    const count = this.#ofClients.get(client) ?? 0
    if (this.#count >= mostStreams || count >= this.#mostOfClient)
      throw new RefusedError(503, 'too many event streams are open', { 'retry-after': '5' })
    this.#count += 1
    this.#ofClients.set(client, count + 1)
    return () => {
      this.#count -= 1
      const remainingCount = (this.#ofClients.get(client) ?? 1) - 1
      if (remainingCount === 0) this.#ofClients.delete(client)
      else this.#ofClients.set(client, remainingCount)
    }
  }
}
