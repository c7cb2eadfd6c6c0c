/** Makes forecasts, probabilities of choices, out of the choices' log-likelihoods. */
import { argmax, choiceLogprobs } from '../../define/choice.js'
import type { MetricInput } from '../../define/define-metric.js'
import { targetIndexes } from '../../define/target.js'

interface Forecast {
  readonly probabilities: readonly number[]
  /** The indexes of the right choices. */
  readonly golds: readonly number[]
  /** The likeliest choice. */
  readonly answer: number
}

/** @throws Error where the target is none of the choices: then no forecast can be right. */
export function forecastOf(input: MetricInput): Forecast {
  const { target, choices = [] } = input.record
  const golds = targetIndexes(target, [choices], choices.length)
  if (golds.length === 0) throw new Error(`the target ${JSON.stringify(target)} is none of the choices`)
  const probabilities = softmax(choiceLogprobs(input))
  return { probabilities, golds, answer: argmax(probabilities) }
}

/** @throws Error where several choices are right: a proper score is of one class. */
export function onlyGold({ golds }: Forecast): number {
  const [gold, ...more] = golds
  if (gold === undefined || more.length > 0)
    throw new Error(`it scores forecasts of one right choice, and there are ${golds.length}`)
  return gold
}

/** Probabilities of choices from their log-likelihoods. */
export function softmax(logprobs: readonly number[]): readonly number[] {
  const highest = Math.max(...logprobs)
  const weights = logprobs.map(logprob => Math.exp(logprob - highest))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map(weight => weight / total)
}
