import { z } from 'zod'
import { largest } from '../../../base/collections/counts.js'
import { defineFilter, read, type Reading } from '../define/define-filter.js'

/** Keeps the first of a doc's samples. */
export const takeFirst = defineFilter({
  id: 'take_first',
  args: z.strictObject({}),
  needsTimeLimit: false,
  apply: readings => readings.slice(0, 1).map(unlistReading),
})

/**
 * Keeps the first `k` of a doc's samples. A doc with fewer samples is an error, so `repeats` must be at least `k`.
 *
 * Source: lm-evaluation-harness, `filters/selection.py`, TakeKFilter.
 */
export const takeFirstK = defineFilter({
  id: 'take_first_k',
  args: z.strictObject({ k: z.int().min(1) }),
  apply(readings, { k }) {
    if (readings.length >= k) return readings.slice(0, k)
    throw new Error(`take_first_k: the doc has ${readings.length} of the ${k} samples asked for. Set \`repeats: ${k}\``)
  },
})

/**
 * Keeps the most frequent sample; the first one if several are equally frequent. Texts are compared unchanged.
 * Unparsed samples without a stand-in share one vote group.
 *
 * Source: lm-evaluation-harness, `filters/selection.py`, MajorityVoteFilter; Wang et al. 2022
 * (https://arxiv.org/abs/2203.11171).
 */
export const majorityVote = defineFilter({
  id: 'majority_vote',
  args: z.strictObject({}),
  apply(readings) {
    const votes = new Map<string, { readonly reading: Reading; count: number }>()
    for (const reading of readings) {
      const vote = votes.get(ballot(reading)) ?? { reading, count: 0 }
      vote.count += 1
      votes.set(ballot(reading), vote)
    }
    const most = largest(
      0,
      [...votes.values()].map(({ count }) => count),
    )
    const winner = [...votes.values()].find(({ count }) => count === most)
    return winner === undefined ? [] : [unlistReading(winner.reading)]
  },
})

/** Unwraps a chosen reading, which is a text and not a list with one text. */
const unlistReading = (reading: Reading): Reading => (reading.type === 'read' ? read(reading.text) : reading)

/** A stand-in counts as a vote for its text. */
function ballot(reading: Reading): string {
  const text = reading.type === 'read' ? reading.text : reading.standIn
  return text === undefined ? 'unread' : `read ${text}`
}
