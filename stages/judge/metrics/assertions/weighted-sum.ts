import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import { defineMetric, judgeFailed, scored, unparsed } from '../../define/define-metric.js'

/** Reads the number that a metric counts with: its value, or the `score` of an object. */
function readNumber(name: string, value: Json): number {
  const score = typeof value === 'object' && value !== null && 'score' in value ? value.score : value
  if (typeof score === 'number') return score
  throw new Error(`the value of ${name} is no number, so that it cannot be added`)
}

/**
 * The weighted sum of other metrics' values, which must be earlier in `metric_list`. A metric that does not apply to the doc adds nothing. If a
 * metric could not read the answer, the sum is unparsed. The range is computed from the other ranges. Higher is better, so metrics for which lower is
 * better need a negative weight.
 */
export const weightedSum = defineMetric({
  id: 'weighted_sum',
  args: z.strictObject({
    weights: z
      .record(z.string(), z.number())
      .refine(weights => Object.keys(weights).length > 0, 'give at least one metric')
      .describe('a number for each name of a metric'),
  }),
  higherIsBetter: true,
  reads: 'any',
  needsTimeLimit: false,
  readsMetrics: ({ weights }) => Object.keys(weights),
  findRange({ weights }, rangeOf) {
    const ends = Object.entries(weights).map(([name, weight]) => rangeOf(name)?.map(end => end * weight))
    const sum = (pick: (...values: number[]) => number): number =>
      ends.reduce((total, range) => total + (range === undefined ? NaN : pick(...range)), 0)
    const [low, high] = [sum(Math.min), sum(Math.max)]
    return Number.isNaN(low + high) ? undefined : [low, high]
  },
  judge(_input, { weights }, context) {
    const reasons: string[] = []
    let sum = 0
    for (const [name, weight] of Object.entries(weights)) {
      const verdict = context?.findVerdict?.(name)
      if (verdict === undefined) continue
      if (verdict.type === 'judge_failed') return judgeFailed(`${name}: ${verdict.reason}`)
      if (verdict.type === 'unparsed') reasons.push(`${name}: ${verdict.reason}`)
      sum += weight * readNumber(name, verdict.value)
    }
    return reasons.length === 0 ? scored(sum) : unparsed(reasons.join('; '), sum)
  },
})
