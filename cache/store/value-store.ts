import type { Json } from '../../base/values/canonical-json.js'

/** Stores values by name for later processes, such as the request rate that a server accepts, or why a run stopped. No result depends on them. */
export interface ValueStore {
  get(name: string): Promise<Json | undefined>
  /** Stores a value. Resolves when it is durable. @param value `undefined` deletes it */
  set(name: string, value: Json | undefined): Promise<void>
  /**
   * Replaces a value by one that follows from it, while no other process changes it.
   *
   * @param change gets the value and the store's time, in milliseconds since 1970. It may be called again if the store was away.
   * @returns what `change` returned beside the value
   */
  update<T>(name: string, change: (known: Json | undefined, now: number) => ChangedValue<T>): Promise<T>
}

/** A new value, and what its change told. */
export interface ChangedValue<T> {
  readonly value: Json
  readonly told: T
}
