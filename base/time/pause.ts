import type { Clock } from './clock.js'

/** Resolves after this many milliseconds, or as soon as a signal is aborted. It does not wait for a signal that is aborted already. */
export function pause(ms: number, clock: Pick<Clock, 'after'>, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      cancel()
      for (const signal of signals) signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(ms, end)
    for (const signal of signals) signal.addEventListener('abort', end)
    if (signals.some(({ aborted }) => aborted)) end()
  })
}
