/** The metrics `brier_score` and `log_loss` with their aggregations. Both are best for honest probabilities. */
import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import { meanFold } from '../../aggregations/mean-fold.js'
import { defineAggregation, type Fold } from '../../define/define-aggregation.js'
import { defineMetric, scored } from '../../define/define-metric.js'
import { computeForecast, onlyGold } from './forecast.js'

/**
 * The Brier score: Σ (p − [correct])² over the choices, where p is the softmax of their log-likelihoods. It is 0 to
 * 2, and 0 for certainty of the correct choice. Lower is better.
 *
 * Source: Brier 1950; lm-evaluation-harness, `api/metrics.py`, brier_score.
 */
export const brierScore = defineMetric({
  id: 'brier_score',
  args: z.strictObject({}),
  higherIsBetter: false,
  range: [0, 2],
  reads: 'logprobs',
  judge(input) {
    const forecast = computeForecast(input)
    return scored(computeBrier(forecast.probabilities, onlyGold(forecast)))
  },
})

/**
 * −ln p of the correct choice, where p is the softmax of the choices' log-likelihoods: 0 to 36.04. Lower is better.
 *
 * Source: scikit-learn 1.9.1, `log_loss`.
 */
export const logLoss = defineMetric({
  id: 'log_loss',
  args: z.strictObject({}),
  higherIsBetter: false,
  reads: 'logprobs',
  judge(input) {
    const forecast = computeForecast(input)
    return scored(computeLogLoss(forecast.probabilities, onlyGold(forecast)))
  },
})

const forecastPair = z.tuple([z.int().min(0), z.array(z.number()).min(1)])

/**
 * The mean loss of forecasts. A value is `[index of the class, probabilities of all classes]`, or a number that is
 * the doc's loss.
 */
const meanLoss = (
  computeLoss: (probabilities: readonly number[], gold: number) => number,
  range?: readonly [number, number],
): Fold => meanFold(value => (typeof value === 'number' ? value : computeLoss(...readForecast(value))), range)

function readForecast(value: Json): readonly [probabilities: readonly number[], gold: number] {
  const parsed = forecastPair.safeParse(value)
  if (!parsed.success || parsed.data[0] >= parsed.data[1].length) {
    throw new Error(`it takes [index of the class, probabilities], not ${JSON.stringify(value).slice(0, 200)}`)
  }
  return [parsed.data[1], parsed.data[0]]
}

/** The mean of Σ (p − [class])², 0 to 2, from `[index of the class, probabilities]`. Source: lm-evaluation-harness, `api/metrics.py`. */
export const brierScoreAggregation = defineAggregation({
  id: 'brier_score',
  of: 'folded',
  args: z.object({}),
  start: () => meanLoss(computeBrier, [0, 2]),
})

/** The mean of −ln p of the class, from `[index of the class, probabilities]`. Source: scikit-learn 1.9.1, `log_loss`. */
export const logLossAggregation = defineAggregation({
  id: 'log_loss',
  of: 'folded',
  args: z.object({}),
  start: () => meanLoss(computeLogLoss),
})

/**
 * The Brier score of one forecast: Σ (p − [class])² over all classes, 0 to 2. Lower is better.
 *
 * Source: Brier 1950, Verification of forecasts expressed in terms of probability; lm-evaluation-harness,
 * `api/metrics.py`, brier_score. For two classes scikit-learn's `brier_score_loss` is half of it.
 */
export const computeBrier = (probabilities: readonly number[], gold: number): number =>
  probabilities.reduce((sum, p, i) => sum + (p - (i === gold ? 1 : 0)) ** 2, 0)

/**
 * −ln p of the class, with p limited to [2⁻⁵², 1 − 2⁻⁵²].
 *
 * Source: scikit-learn 1.9.1, `log_loss`.
 */
export function computeLogLoss(probabilities: readonly number[], gold: number): number {
  const p = probabilities[gold]
  if (p === undefined) throw new RangeError(`the forecast has no class ${gold}`)
  return -Math.log(Math.min(1 - Number.EPSILON, Math.max(Number.EPSILON, p)))
}
