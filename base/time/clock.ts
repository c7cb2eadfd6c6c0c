/** A source of time and timers. Programs use the real clock, and tests a virtual one. */
export interface Clock {
  /** Monotonic milliseconds since an arbitrary moment. */
  now(): number
  /** Milliseconds since 1970. */
  wallNow(): number
  /** Calls `action` once after `ms` milliseconds. @returns a function that cancels the call */
  after(ms: number, action: () => void): () => void
}
