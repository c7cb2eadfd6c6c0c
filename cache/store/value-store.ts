import type { Json } from '../../base/values/canonical-json.js'

/** Stores values by name for later processes, such as the request rate that a server accepts, or why a run stopped. No result depends on them. */
export interface ValueStore {
  get(name: string): Promise<Json | undefined>
  /** Stores a value. Resolves when it is durable. @param value `undefined` deletes it */
  set(name: string, value: Json | undefined): Promise<void>
  /**
   * Updates a value atomically.
   *
   * @param change computes the new value from the old one and the store's time, in milliseconds since 1970. It may be called again after an outage
   * @returns the second part of the result of `change`
   */
  update<T>(name: string, change: (known: Json | undefined, now: number) => ChangedValue<T>): Promise<T>
}

/** A new value, and the result for the caller. */
export interface ChangedValue<T> {
  readonly value: Json
  readonly told: T
}
