import type { Clock } from '../base/clock.js'

/** The machine's clock. */
export const realClock: Clock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms)
    return () => clearTimeout(timer)
  },
}
