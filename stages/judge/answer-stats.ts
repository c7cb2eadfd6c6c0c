import type { Aggregate } from '../../cache/records.js'

const answerNames = ['cut', 'emptyCut', 'reasoned', 'reasoningCharacters'] as const

/** What is said of answers only where there is something to say. */
export const answerStats = (
  counts: Partial<Record<(typeof answerNames)[number], number>>,
): Pick<Aggregate, (typeof answerNames)[number]> =>
  Object.fromEntries(answerNames.flatMap(name => ((counts[name] ?? 0) > 0 ? [[name, counts[name]] as const] : [])))

/** How many answers ended for each reason that is not known; absent for none. */
export function endingStats(counts: readonly (readonly [reason: string, count: number])[]): Pick<Aggregate, 'endings'> {
  const sums = new Map<string, number>()
  for (const [reason, count] of counts) sums.set(reason, (sums.get(reason) ?? 0) + count)
  return sums.size === 0 ? {} : { endings: Object.fromEntries(sums) }
}
