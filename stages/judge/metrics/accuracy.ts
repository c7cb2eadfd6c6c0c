import { defineMetric } from '../define-metric.js'
import { acc } from './acc.js'
import { exactMatch } from './exact-match.js'

/**
 * The share of right answers, whatever the task gives: of log-likelihoods {@link acc}, of texts {@link exactMatch} with its options. Higher is
 * better.
 *
 * Source: scikit-learn's `accuracy_score`, by which the package `evaluate` has a metric of this name.
 */
export const accuracy = defineMetric({
  id: 'accuracy',
  args: exactMatch.args,
  higherIsBetter: true,
  range: [0, 1],
  reads: 'any',
  judge: (input, args) =>
    input.bodies[0]?.logprob === undefined ? exactMatch.judge(input, args) : acc.judge(input, acc.args.parse({})),
})
