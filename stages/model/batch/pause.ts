import type { InferOptions } from '../infer.js'

/** Resolves after so many milliseconds, or as soon as the work is to end. */
export function pause(
  ms: number,
  { clock, drain, stop }: Pick<InferOptions, 'clock' | 'drain' | 'stop'>,
): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      cancel()
      for (const signal of [drain, stop]) signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(ms, end)
    for (const signal of [drain, stop]) signal.addEventListener('abort', end)
  })
}
