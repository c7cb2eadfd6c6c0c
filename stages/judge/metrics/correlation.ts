/** The aggregations `pearson` and `spearman`, which correlate the docs' targets with their answers. */
import { z } from 'zod'
import { growingColumn } from '../../../base/collections/growing-column.js'
import { defineAggregation, type Fold } from '../define/define-aggregation.js'
import { computePearson, computeSpearman } from '../statistics/paired/correlations.js'
import { finite } from './classification/classes.js'
import { readNumbers } from './regression.js'

/**
 * Pearson's correlation of targets and answers, −1 to 1, from `[target, answer]`. The value is null if either has no
 * spread. Source: SciPy 1.17.1, `pearsonr`.
 */
export const pearson = defineAggregation({
  id: 'pearson',
  of: 'folded',
  args: z.object({}),
  start: () => correlationFold(computePearson, values => () => values),
})

/**
 * Spearman's rank correlation: Pearson's of the ranks, where equal values share their mean rank, from
 * `[target, answer]`. The value is null if either has no spread. Source: SciPy 1.17.1, `spearmanr`.
 */
export const spearman = defineAggregation({
  id: 'spearman',
  of: 'folded',
  args: z.object({}),
  start: () => correlationFold(computeSpearman, prepareRanks),
})

/** Prepares the numbers that are correlated as a function of how often each value counts. */
type PrepareNumbers = (values: Float64Array) => (weights: Float64Array) => Float64Array

function correlationFold(
  compute: (a: Float64Array, b: Float64Array) => number | undefined,
  prepare: PrepareNumbers,
): Fold {
  const [golds, answers] = [growingColumn(), growingColumn()]
  return {
    add(value) {
      const [gold, answer] = readNumbers(value)
      golds.push(gold)
      answers.push(answer)
    },
    finish: () => finite(compute(golds.values(), answers.values()) ?? Number.NaN),
    resample: () => ({
      docs: golds.length,
      cost: 12 * golds.length,
      prepareCounts({ index }) {
        const [rankGolds, rankAnswers] = [prepare(golds.values()), prepare(answers.values())]
        const weights = new Float64Array(golds.length)
        return counts => {
          for (let doc = 0; doc < weights.length; doc++) weights[doc] = counts[index[doc] ?? 0] ?? 0
          return correlateWeighted(rankGolds(weights), rankAnswers(weights), weights)
        }
      },
    }),
  }
}

/** Ranks values of which each counts as often as its weight says. The values are sorted once. */
function prepareRanks(values: Float64Array): (weights: Float64Array) => Float64Array {
  const order = Uint32Array.from(values, (_, at) => at).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0))
  const ranks = new Float64Array(values.length)
  return weights => {
    let before = 0
    for (let start = 0; start < order.length;) {
      const value = values[order[start] ?? 0]
      let [end, equal] = [start, 0]
      for (; end < order.length && values[order[end] ?? 0] === value; end++) equal += weights[order[end] ?? 0] ?? 0
      for (let at = start; at < end; at++) ranks[order[at] ?? 0] = before + (equal + 1) / 2
      before += equal
      start = end
    }
    return ranks
  }
}

/** Computes Pearson's correlation of values of which each counts as often as its weight says. NaN without spread. */
function correlateWeighted(a: Float64Array, b: Float64Array, weights: Float64Array): number {
  let [n, meanA, meanB, squaresA, squaresB, products] = [0, 0, 0, 0, 0, 0]
  for (let at = 0; at < weights.length; at++) {
    const weight = weights[at] ?? 0
    if (weight === 0) continue
    n += weight
    const [offA, offB] = [(a[at] ?? 0) - meanA, (b[at] ?? 0) - meanB]
    meanA += (offA * weight) / n
    meanB += (offB * weight) / n
    squaresA += weight * offA * ((a[at] ?? 0) - meanA)
    squaresB += weight * offB * ((b[at] ?? 0) - meanB)
    products += weight * offA * ((b[at] ?? 0) - meanB)
  }
  const spread = Math.sqrt(squaresA) * Math.sqrt(squaresB)
  return spread > 0 ? Math.min(1, Math.max(-1, products / spread)) : Number.NaN
}
