import type { Json } from '../../../../base/canonical-json.js'
import type { MetricDefinition, Verdict } from '../../define-metric.js'

/**
 * A metric that gives a doc's own number alone, for aggregations that take numbers: what `compute` says of that doc, where the metric gives
 * counts.
 */
export const withOwnNumber = (metric: MetricDefinition): MetricDefinition => ({
  ...metric,
  judge: async (input, args) => reduced(await metric.judge(input, args)),
})

const reduced = (verdict: Verdict): Verdict =>
  verdict.type === 'judge_failed' ? verdict : { ...verdict, value: ownNumber(verdict.value) }

function ownNumber(value: Json): Json {
  const { score, rate } = numbers(value)
  return score ?? rate ?? value
}

const numbers = (value: Json): Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, Json>>) : {}
