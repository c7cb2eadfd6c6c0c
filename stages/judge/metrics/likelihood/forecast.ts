/** Computes forecasts, the probabilities of choices, from the choices' log-likelihoods. */
import { argmax, choiceLogprobs } from '../../define/choice.js'
import type { MetricInput } from '../../define/define-metric.js'
import { targetIndexes } from '../../define/target.js'

interface Forecast {
  readonly probabilities: readonly number[]
  /** The indexes of the correct choices. */
  readonly golds: readonly number[]
  /** The index of the most likely choice. */
  readonly answer: number
}

/**
 * Computes a doc's forecast.
 * @throws Error if the target is not among the choices, so that no forecast can be correct.
 */
export function computeForecast(input: MetricInput): Forecast {
  const { target, choices = [] } = input.record
  const golds = targetIndexes(target, [choices], choices.length)
  if (golds.length === 0) throw new Error(`the target ${JSON.stringify(target)} is none of the choices`)
  const probabilities = softmax(choiceLogprobs(input))
  return { probabilities, golds, answer: argmax(probabilities) }
}

/**
 * The index of the only correct choice.
 * @throws Error if several choices are correct, since a proper score needs one.
 */
export function onlyGold({ golds }: Forecast): number {
  const [gold, ...more] = golds
  if (gold === undefined || more.length > 0)
    throw new Error(`it scores forecasts of one right choice, and there are ${golds.length}`)
  return gold
}

/** The probabilities of choices from their log-likelihoods. */
export function softmax(logprobs: readonly number[]): readonly number[] {
  const highest = Math.max(...logprobs)
  const weights = logprobs.map(logprob => Math.exp(logprob - highest))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map(weight => weight / total)
}
