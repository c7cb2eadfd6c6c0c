import { realClock } from '../clock.js'
import type { Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { Hooks } from '../config/settings.js'

/** The minimum time between two queries of other processes' progress: `ms` milliseconds, and `times` the duration of a query. */
const lookEvery = { ms: 2_000, times: 50 }

/** Reports the run's progress once another process commits to the store. @returns a function that stops it */
export function watchOthers(
  { store, run, hooks }: { readonly store: Store; readonly run: Run; readonly hooks: Pick<Hooks, 'emit'> },
  clock = realClock,
): () => void {
  let before: number | undefined
  let hasOthers = false
  let hasEnded = false
  let cancel = (): void => undefined
  const look = async (): Promise<void> => {
    const startedAt = clock.now()
    try {
      const version = await store.dataVersion()
      before ??= version
      hasOthers ||= version !== before
      if (hasOthers) hooks.emit({ type: 'run-counts', counts: await store.runs.counts(run) })
    } catch {
      // The stages report errors of the store. The query is repeated, because the error may pass.
    }
    const ms = Math.max(lookEvery.ms, lookEvery.times * (clock.now() - startedAt))
    if (!hasEnded) cancel = clock.after(ms, () => void look())
  }
  void look()
  return () => {
    hasEnded = true
    cancel()
  }
}
