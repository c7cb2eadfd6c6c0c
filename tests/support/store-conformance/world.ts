import type { Store } from '../../../cache/store.js'

/** A store for one test of the suite. It is empty at the beginning and removed afterwards. */
export interface StoreWorld {
  /**
   * Opens another handle on the store. It is closed when the test ends.
   *
   * @param owner the process of the handle. Handles of different owners compete for leases. @default 'first'
   */
  open(owner?: string): Promise<Store>
  /** Ends an owner without closing its handles, as SIGKILL does. Its leases are free when this resolves. */
  kill(owner: string): Promise<void>
}
