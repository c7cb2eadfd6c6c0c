import type { Store } from '../../../cache/store.js'

/** The jobs that a worker leaves to others, as long as they are in the queue. */
export class LeftJobs {
  readonly #store: { readonly jobs: Pick<Store['jobs'], 'queue'> }
  readonly #most: number
  #ids = new Set<string>()
  #forgetAt: number

  /** @param most the number of jobs after which those that are not in the queue any more are forgotten */
  constructor(store: { readonly jobs: Pick<Store['jobs'], 'queue'> }, most = 1000) {
    this.#store = store
    this.#most = this.#forgetAt = most
  }

  get ids(): readonly string[] {
    return [...this.#ids]
  }

  async add(job: string): Promise<void> {
    this.#ids.add(job)
    if (this.#ids.size < this.#forgetAt) return
    const queued = await this.#store.jobs.queue(Number.MAX_SAFE_INTEGER)
    this.#ids = new Set(queued.filter(id => this.#ids.has(id)))
    this.#forgetAt = this.#ids.size + this.#most
  }
}
