import { formatCount, formatDifference, signedRange } from '../../base/text/numbers.js'
import type { Aggregate } from '../../cache/records.js'

/**
 * Says where a task with a stop condition ended:
 * `stopped at n = 340 of 2,000: half-width 0.0199 (confidence sequence)`.
 */
export function describeStopping({
  total,
  interval,
  stopping,
}: Pick<Aggregate, 'total' | 'interval'> & { readonly stopping: NonNullable<Aggregate['stopping']> }): string {
  const { docs, difference } = stopping
  const place =
    total < docs
      ? `stopped at n = ${formatCount(total)} of ${formatCount(docs)}`
      : `needed all ${formatCount(docs)} docs`
  if (difference !== undefined)
    return `${place}: ${formatDifference(difference.value)} (${signedRange(difference.interval)}) against ${difference.run} (confidence sequence)`
  if (interval === null) return place
  return `${place}: half-width ${((interval[1] - interval[0]) / 2).toFixed(4)} (confidence sequence)`
}
