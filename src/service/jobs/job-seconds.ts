/** Reports how long workers held jobs. Listeners are added after the workers start. */
export class JobSeconds {
  readonly #listeners: ((seconds: number) => void)[] = []

  add(ms: number): void {
    for (const listener of this.#listeners) listener(ms / 1000)
  }

  subscribe(listener: (seconds: number) => void): void {
    this.#listeners.push(listener)
  }
}
