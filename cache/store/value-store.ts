import type { Json } from '../../base/values/canonical-json.js'

/** Values by name that a later process should know and no result depends on, such as the pace that a server bears. */
export interface ValueStore {
  get(name: string): Promise<Json | undefined>
  /** Durable when it resolves. @param value `undefined` deletes it */
  set(name: string, value: Json | undefined): Promise<void>
}
