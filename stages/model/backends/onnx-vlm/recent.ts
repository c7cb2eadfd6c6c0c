/**
 * Makes each value once while it is among the last `limit` that were asked for. Two who ask at the same time share one.
 * A failure is not kept.
 */
export class Recent<Value> {
  readonly #limit: number
  readonly #values = new Map<string, Promise<Value>>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const value = this.#values.get(key) ?? make()
    this.#values.delete(key)
    this.#values.set(key, value)
    value.catch(() => this.#values.delete(key))
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#limit) break
      this.#values.delete(oldest)
    }
    return value
  }
}
