import { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import { bare, defineAggregation, withoutInterval, type Summary } from '../define/define-aggregation.js'
import { hasTooFewClusters, intervalWithin, meanBounds, wilson, type Interval } from '../statistics/bounded-interval.js'
import { clusteredMean, estimateMean, isEachInCluster, meanInterval } from '../statistics/mean.js'

/**
 * The arithmetic mean with its standard error. The 95 % interval is Student's, or Wilson's if every value is 0 or
 * 1. Wilson's also holds near the ends and for few docs. If docs have clusters, standard error and interval are
 * cluster-robust (CR2). If Student's interval would leave the metric's range or have no width, Wilson's on the
 * effective sample size is used.
 */
export const mean = defineAggregation({
  id: 'mean',
  of: 'numbers',
  summarise: (values, _parity, range) => summariseMean(values, range),
  summariseClustered: summariseClusteredMean,
  bounds: (values, missing, range) =>
    meanBounds(estimateMean(values) ?? { n: 0, mean: 0 }, values.length + missing, range),
})

export function summariseMean(values: Float64Array, range?: Interval): Summary {
  const estimate = meanInterval(values)
  if (estimate === undefined) return bare(null)
  const { n, mean: value, stderr, interval } = estimate
  if (isBinary(values)) {
    const successes = values.reduce((sum, one) => sum + one, 0)
    return { value, stderr, interval: wilson(successes, n), intervalMethod: 'wilson' }
  }
  if (stderr === null || interval === null) return bare(value)
  const within = intervalWithin({ n, mean: value, stderr, df: n - 1, parts: n, interval }, range)
  if (within === undefined) return { ...bare(value), stderr, note: noSpread('docs') }
  return { value, stderr, interval: within.interval, intervalMethod: within.method }
}

/** Undefined if a doc belongs to no cluster. */
function summariseClusteredMean(
  values: Float64Array,
  clusters: ArrayLike<string | undefined>,
  range?: Interval,
): Summary | undefined {
  if (!isEachInCluster(values, clusters)) return undefined
  const estimate = clusteredMean(values, clusters)
  if (estimate === undefined) return { ...bare(estimateMean(values)?.mean ?? null), note: tooFew(1) }
  const { mean: value, cr2: stderr, df } = estimate
  if (hasTooFewClusters(df)) return { ...bare(value), stderr, note: tooFew(estimate.clusters) }
  const within = intervalWithin({ ...estimate, stderr }, isBinary(values) ? [0, 1] : range)
  if (within === undefined) return { ...bare(value), stderr, note: noSpread('clusters') }
  const method = within.method === 't' ? 'clustered' : 'clustered_wilson'
  return { value, stderr, interval: within.interval, intervalMethod: method }
}

const isBinary = (values: Float64Array): boolean => values.every(one => one === 0 || one === 1)

const tooFew = (clusters: number): string =>
  `${withoutInterval}: the docs come in ${clusters === 1 ? 'one cluster' : `${clusters} clusters`}, and it takes at least 5 of about one size`

const noSpread = (of: 'docs' | 'clusters'): string =>
  `${withoutInterval}: all ${of} have the same ${of === 'docs' ? 'value' : 'mean'}, and the metric's range is not known`

/**
 * The mean of the docs that have a number. Docs whose value is `null` or `"NaN"` are left out. The value is null if
 * no doc has a number.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, nanmean.
 */
export const nanmean = defineAggregation({
  id: 'nanmean',
  of: 'values',
  summarise: values => summariseMean(Float64Array.from(values.flatMap(numberIn))),
})

function numberIn(value: Json): readonly number[] {
  if (value === null || value === 'NaN') return []
  if (typeof value !== 'number') throw new TypeError(`it takes numbers, not ${JSON.stringify(value)}`)
  return [value]
}

/**
 * The mean of the last thirty values, in the order of the docs. AIME tasks use it for one year when the dataset
 * starts with earlier years.
 *
 * Source: the task files of s1 (Muennighoff et al. 2025, https://arxiv.org/abs/2501.19393), `aime24_figures`.
 */
export const meanLast30 = defineAggregation({
  id: 'mean_last30',
  of: 'numbers',
  summarise: values => summariseMean(values.slice(-30)),
})

/** The mean and its interval times 100, for benchmarks that publish per cent. The docs' values stay fractions. */
export const meanPercent = defineAggregation({
  id: 'mean_percent',
  of: 'numbers',
  summarise: (values, _parity, range) => inPercent(summariseMean(values, range)),
  summariseClustered(values, clusters, range) {
    const summary = summariseClusteredMean(values, clusters, range)
    return summary && inPercent(summary)
  },
  bounds(values, missing, range) {
    const [low, high] = meanBounds(estimateMean(values) ?? { n: 0, mean: 0 }, values.length + missing, range)
    return [100 * low, 100 * high]
  },
})

function inPercent({ value, stderr, interval, ...rest }: Summary): Summary {
  return {
    value: value === null ? null : 100 * value,
    stderr: stderr === null ? null : 100 * stderr,
    interval: interval === null ? null : [100 * interval[0], 100 * interval[1]],
    ...rest,
  }
}

const scoreOf = z.object({ group: z.string(), score: z.number() })

/**
 * The mean over all docs, whose values are `{group, score}`, with its interval. With parity it is the unweighted
 * mean of the groups' means.
 *
 * Sources: Chen et al. 2024, MMStar (https://arxiv.org/abs/2403.20330); lmms-eval 0.7.2, `tasks/mmstar/utils.py`.
 */
export const groupedMean = defineAggregation({
  id: 'grouped_mean',
  of: 'values',
  summarise(values, parity) {
    const scores = values.map(value => scoreOf.parse(value))
    if (parity === undefined) return summariseMean(Float64Array.from(scores, ({ score }) => score))
    const groups = new Map<string, number[]>()
    for (const { group, score } of scores) groups.set(group, [...(groups.get(group) ?? []), score])
    return bare(meanOf(Array.from(groups.values(), meanOf)))
  },
})

const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length

/** The middle value, or the mean of the two middle values. */
export const median = defineAggregation({
  id: 'median',
  of: 'numbers',
  summarise(values, parity) {
    // lmms-eval does not sort the values, and takes the second of two middle values.
    if (parity === 'lmms-eval') return bare(values[Math.floor(values.length / 2)] ?? 0)
    const sorted = values.toSorted()
    const half = sorted.length / 2
    const upper = sorted[Math.floor(half)] ?? 0
    return bare(Number.isInteger(half) ? ((sorted[half - 1] ?? 0) + upper) / 2 : upper)
  },
})

/** The sum, for benchmarks that count points. */
export const sum = defineAggregation({
  id: 'sum',
  of: 'numbers',
  summarise: values => bare(values.reduce((total, value) => total + value, 0)),
  bounds(values, missing, [lowest, highest]) {
    const known = values.reduce((total, value) => total + value, 0)
    return [known + missing * lowest, known + missing * highest]
  },
})
