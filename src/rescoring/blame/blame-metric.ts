/** Splits the difference of one metric by the scores of its docs in all mixtures. */
import { numberIn } from '../../../cache/facts/sample-facts.js'
import type { ScoreBody } from '../../../cache/records.js'
import type { Interval } from '../../../stages/judge/statistics/intervals/interval.js'
import { attributeDifference } from '../../../stages/judge/statistics/paired/attribute-difference.js'
import { comparePaired, listClusters } from '../../../stages/judge/statistics/paired/compare-paired.js'
import { testDifference } from '../../../stages/judge/statistics/paired/difference-test.js'
import { pairedDifference } from '../../../stages/judge/statistics/paired/paired-difference.js'
import type { PairedDoc, PairedMetric } from '../../reading/comparing/pair-samples.js'
import { chooseSide, isEnd } from './mixtures.js'

/** The share of one factor in a difference. */
export interface BlamedFactor {
  /** `model`, `prompt`, `parameters`, `samples`, `targets`, `fields` (of the docs, other than targets) or `rules`, or several joined by ` + ` if only new requests could tell them apart. */
  readonly factor: string
  /** The mean effect over all orders in which the factors can change (Shapley). The effects of a metric add up to its difference. */
  readonly effect: number
  /** The 95 % interval of the effect, by the paired comparison; null where that has none, as with too few clusters or equal effects. */
  readonly interval: Interval | null
}

/** The difference of one metric, split by factor. */
export interface BlamedMetric {
  readonly task: string
  readonly metric: string
  /** Docs with a value in both runs and in each mixture. */
  readonly n: number
  /** Docs that are left out, because a mixture has no value. */
  readonly leftOut: number
  readonly a: number
  readonly b: number
  readonly difference: number
  readonly factors: readonly BlamedFactor[]
}

/** The scores of each doc in each mixture. */
export interface Mixing {
  readonly factors: readonly string[]
  /** By id: the score of each mixture, such as `ABA` in the order of `factors`. Undefined if it cannot be computed. */
  readonly scores: ReadonlyMap<string, ReadonlyMap<string, ScoreBody | undefined>>
}

/**
 * Attributes the difference of a metric to the factors, doc by doc. Docs without a value in each mixture are left out.
 *
 * @param scoreKeys the field of values that are objects, of each run
 */
export function blameMetric(
  { task, metric, pairs }: PairedMetric,
  { factors, scores }: Mixing,
  scoreKeys: { readonly A: string; readonly B: string },
): BlamedMetric {
  const docs = pairs.flatMap(pair => {
    const values = new Map<string, number | undefined>()
    for (const [mixture, score] of scores.get(pair.id) ?? [])
      values.set(mixture, numberIn(score?.values[metric] ?? null, scoreKeys[chooseRules(factors, mixture)]))
    if (values.size === 0 || [...values.values()].includes(undefined)) return []
    return [{ pair, effects: attributeDifference(factors, mixture => values.get(mixture) ?? 0).effects }]
  })
  const own = docs.map(({ pair }) => pair)
  const whole = comparePaired({ pairs: own })
  const { n, a, b, difference } = whole
  // Most metrics read no other field of a doc than its target.
  const relevantFactors = factors.filter(
    factor => factor !== 'fields' || factors.length === 1 || docs.some(({ effects }) => effects[factor] !== 0),
  )
  return {
    ...{ task, metric, n, leftOut: pairs.length - n, a, b, difference },
    factors: relevantFactors.map(factor => {
      // A single factor has the difference itself, with the interval that `compare` gives.
      if (relevantFactors.length === 1) return { factor, effect: difference, interval: whole.interval ?? null }
      return {
        factor,
        ...measureEffect(
          own,
          docs.map(({ effects }) => effects[factor] ?? 0),
        ),
      }
    }),
  }
}

/** Effects are differences of scores, so that no interval of shares fits them. */
function measureEffect(pairs: readonly PairedDoc[], effects: readonly number[]): Omit<BlamedFactor, 'factor'> {
  const clusters = listClusters(pairs)
  const test = pairedDifference(
    effects.map(() => 0),
    effects,
    clusters,
  )
  const effect = effects.reduce((sum, value) => sum + value, 0) / effects.length
  if ('none' in test) return { effect, interval: null }
  const difference = testDifference(test, { isBinary: false, isClustered: clusters !== undefined })
  return { effect, interval: 'none' in difference ? null : difference.interval }
}

const chooseRules = (factors: readonly string[], mixture: string): 'A' | 'B' =>
  (isEnd(mixture) ? mixture[0] : chooseSide('rules', factors, mixture)) === 'B' ? 'B' : 'A'
