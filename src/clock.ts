import type { Clock } from '../base/time/clock.js'

/** The longest timer, in milliseconds (about 24 days). A longer one would fire at once. */
const longestTimer = 2 ** 31 - 1

/** The machine's clock. */
export const realClock: Clock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  after(ms, action) {
    let timer: NodeJS.Timeout | undefined
    const wait = (remainingMs: number): void => {
      const step = Math.min(remainingMs, longestTimer)
      timer = setTimeout(() => (remainingMs > step ? wait(remainingMs - step) : action()), step)
    }
    wait(ms)
    return () => clearTimeout(timer)
  },
}
