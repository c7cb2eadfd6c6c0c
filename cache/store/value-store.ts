import type { Json } from '../../base/values/canonical-json.js'

/** Stores values by name for later processes, such as the request rate that a server accepts, or why a run stopped. No result depends on them. */
export interface ValueStore {
  get(name: string): Promise<Json | undefined>
  /** Stores a value. Resolves when it is durable. @param value `undefined` deletes it */
  set(name: string, value: Json | undefined): Promise<void>
}
