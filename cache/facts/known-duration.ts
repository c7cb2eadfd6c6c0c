import type { ResponseMeta } from '../records.js'
import type { SampleItem } from '../store.js'

/** The value of `ResponseMeta.run` for imported answers. */
export const importedRun = 'imported'

/**
 * Returns the duration of a response. It is undefined in a batch, which says nothing of a single request, and if the answer was imported and its log
 * states none, which is stored as 0.
 */
export const knownDuration = ({
  run,
  durationMs,
  batch,
}: Pick<ResponseMeta, 'run' | 'durationMs' | 'batch'>): number | undefined =>
  batch === true || (run === importedRun && durationMs === 0) ? undefined : durationMs

/** Adds the durations of all answers to a doc, in milliseconds. Undefined if no duration is known. */
export function sumDurations(items: readonly Pick<SampleItem, 'response'>[]): number | undefined {
  const known = items.flatMap(({ response }) => (response && knownDuration(response.meta)) ?? [])
  return known.length === 0 ? undefined : known.reduce((sum, ms) => sum + ms, 0)
}
