import { addCount } from '../../base/collections/counts.js'
import type { Aggregate } from '../../cache/records.js'

const answerNames = ['cut', 'emptyCut', 'reasoned', 'reasoningCharacters'] as const

/** Counts of answer properties. Counts of 0 are left out. */
export const answerStats = (
  counts: Partial<Record<(typeof answerNames)[number], number>>,
): Pick<Aggregate, (typeof answerNames)[number]> =>
  Object.fromEntries(answerNames.flatMap(name => ((counts[name] ?? 0) > 0 ? [[name, counts[name]] as const] : [])))

/** The number of answers for each unknown finish reason; absent if there are none. */
export function endingStats(counts: readonly (readonly [reason: string, count: number])[]): Pick<Aggregate, 'endings'> {
  const sums = new Map<string, number>()
  for (const [reason, count] of counts) addCount(sums, reason, count)
  return sums.size === 0 ? {} : { endings: Object.fromEntries(sums) }
}
