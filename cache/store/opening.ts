/** `write` makes the store if it does not exist. `change` writes to an existing store only. */
export type Access = 'write' | 'change' | 'read'

/** Callbacks and signals for a caller that waits for a locked store. */
export interface LockListener {
  /** Called with a line that names the lock's holder, then once a minute with the time waited. */
  readonly tell?: ((line: string) => void) | undefined
  /** Aborts a wait for the store to open, and later waits for its lock until requests are in flight, whose answers would be lost. */
  readonly drain?: AbortSignal | undefined
  /** Aborts every wait. */
  readonly stop?: AbortSignal | undefined
  /**
   * The maximum wait of a write for a lock, in milliseconds. Until a write succeeds again, later ones make only one attempt.
   *
   * @default depends on the holder (createPatience)
   */
  readonly limitMs?: number | undefined
}
