/** Time, as what works with it is given it: a real one runs programs, a virtual one runs tests. */
export interface Clock {
  /** Monotonic milliseconds since some moment. */
  now(): number
  /** Milliseconds since 1970. */
  wallNow(): number
  /** Calls `action` once, in `ms` milliseconds, unless the function that it returns was called before. */
  after(ms: number, action: () => void): () => void
}
