import { realClock } from '../clock.js'
import type { Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { Hooks } from '../config/settings.js'

/** The time between two queries of other processes' progress: at least so many milliseconds, and so many times the query's own time. */
const lookEvery = { ms: 1000, times: 20 }

/** Reports the run's progress once another process commits to the store. @returns a function that stops it */
export function watchOthers(
  { store, run, hooks }: { readonly store: Store; readonly run: Run; readonly hooks: Pick<Hooks, 'emit'> },
  clock = realClock,
): () => void {
  const began = store.dataVersion()
  // The error is thrown where the promise is awaited.
  began.catch(() => undefined)
  let hasOthers = false
  let hasEnded = false
  let cancel = (): void => undefined
  const look = async (): Promise<void> => {
    const startedAt = clock.now()
    hasOthers ||= (await store.dataVersion()) !== (await began)
    if (hasOthers) hooks.emit({ type: 'run-counts', counts: await store.runs.counts(run) })
    if (!hasEnded) lookIn(Math.max(lookEvery.ms, lookEvery.times * (clock.now() - startedAt)))
  }
  const lookIn = (ms: number): void => {
    // The stages report errors of the store.
    cancel = clock.after(ms, () => void look().catch(() => undefined))
  }
  lookIn(lookEvery.ms)
  return () => {
    hasEnded = true
    cancel()
  }
}
