/** Tells how long jobs had a worker. Listeners come later than the workers. */
export class JobSeconds {
  readonly #listeners: ((seconds: number) => void)[] = []

  add(ms: number): void {
    for (const listener of this.#listeners) listener(ms / 1000)
  }

  subscribe(listener: (seconds: number) => void): void {
    this.#listeners.push(listener)
  }
}
