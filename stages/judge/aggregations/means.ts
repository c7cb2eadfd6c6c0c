import { z } from 'zod'
import { growingColumn } from '../../../base/collections/growing-column.js'
import { interpolatePercentile } from '../../../base/collections/percentile.js'
import {
  bare,
  defineAggregation,
  describeTooFewClusters,
  withoutInterval,
  type Clusters,
  type Fold,
  type Summary,
} from '../define/define-aggregation.js'
import {
  effectiveWilson,
  hasTooFewClusters,
  intervalWithin,
  meanBounds,
} from '../statistics/intervals/bounded-interval.js'
import { clusteredMedianInterval, medianInterval } from '../statistics/intervals/median-interval.js'
import { collectTerms } from '../statistics/resampling/doc-terms.js'
import { wilson } from '../statistics/intervals/proportions.js'
import type { Interval } from '../statistics/intervals/interval.js'
import { estimateMean, meanInterval } from '../statistics/intervals/mean.js'
import { clusteredMean } from '../statistics/clusters/clustered-mean.js'
import { checkClusters } from '../statistics/clusters/number-clusters.js'

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

/** Summarises a mean of independent docs. */
export function summariseMean(values: Float64Array, range?: Interval): Summary {
  const estimate = meanInterval(values)
  if (estimate === undefined) return bare(null)
  const { n, mean: value, stderr, interval } = estimate
  if (isBinary(values)) {
    const successes = values.reduce((sum, number) => sum + number, 0)
    return { value, stderr, interval: wilson(successes, n), intervalMethod: 'wilson' }
  }
  if (stderr === null || interval === null) return bare(value)
  const within = intervalWithin({ n, mean: value, stderr, df: n - 1, parts: n, interval }, range)
  if (within === undefined) return { ...bare(value), stderr, note: noSpread('docs') }
  return {
    value,
    stderr,
    interval: within.interval,
    intervalMethod: within.method,
    ...selectStoredRange(within.method, range),
  }
}

/** Selects the range to store. It is stored with Wilson's interval unless it is [0, 1]. */
const selectStoredRange = (method: 'wilson' | 't', range: Interval | undefined): Pick<Summary, 'intervalRange'> =>
  method === 't' || range === undefined || (range[0] === 0 && range[1] === 1) ? {} : { intervalRange: range }

/** Summarises a mean of docs in clusters. Undefined if a doc belongs to no cluster. */
function summariseClusteredMean(
  values: Float64Array,
  clusters: ArrayLike<string | undefined>,
  range?: Interval,
): Summary | undefined {
  if (checkClusters(values, clusters) !== undefined) return undefined
  const estimate = clusteredMean(values, clusters)
  if ('none' in estimate) return { ...bare(estimateMean(values)?.mean ?? null), note: describeTooFewClusters(1) }
  const { mean: value, cr2: stderr, df } = estimate
  if (hasTooFewClusters(df)) return { ...bare(value), stderr, note: describeTooFewClusters(estimate.clusters) }
  // A choice between Student's and Wilson's by the data would cover less than either.
  if (isBinary(values))
    return {
      value,
      stderr,
      interval: effectiveWilson({ ...estimate, stderr }, [0, 1]),
      intervalMethod: 'clustered_wilson',
    }
  const within = intervalWithin({ ...estimate, stderr }, range)
  if (within === undefined) return { ...bare(value), stderr, note: noSpread('clusters') }
  const method = within.method === 't' ? 'clustered' : 'clustered_wilson'
  return {
    value,
    stderr,
    interval: within.interval,
    intervalMethod: method,
    ...selectStoredRange(within.method, range),
  }
}

const isBinary = (values: Float64Array): boolean => values.every(value => value === 0 || value === 1)

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
  of: 'folded',
  args: z.object({}),
  start() {
    const numbers: number[] = []
    const docs: number[] = []
    let count = 0
    return {
      add(value) {
        count += 1
        if (value === null || value === 'NaN') return
        if (typeof value !== 'number') throw new TypeError(`it takes numbers, not ${JSON.stringify(value)}`)
        numbers.push(value)
        docs.push(count - 1)
      },
      finish: clusters => summariseWith(Float64Array.from(numbers), clusters && docs.map(doc => clusters[doc])),
    }
  },
})

/** Summarises the mean of numbers that may have clusters. */
export const summariseWith = (values: Float64Array, clusters: Clusters | undefined, range?: Interval): Summary =>
  (clusters && summariseClusteredMean(values, clusters, range)) ?? summariseMean(values, range)

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
  summariseClustered: (values, clusters) => summariseClusteredMean(values.slice(-30), Array.from(clusters).slice(-30)),
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

const inPercent = (summary: Summary): Summary => scaleSummary(summary, 100)

function scaleSummary({ value, stderr, interval, intervalRange = [0, 1], ...rest }: Summary, by: number): Summary {
  const scale = ([low, high]: Interval): Interval => [by * low, by * high]
  return {
    value: value === null ? null : by * value,
    stderr: stderr === null ? null : by * stderr,
    interval: interval === null ? null : scale(interval),
    ...rest,
    ...(rest.intervalMethod.endsWith('wilson') && { intervalRange: scale(intervalRange) }),
  }
}

/** The sum of values, whose mean has the given summary. Rounding of the mean does not change the sum. */
const sumOfMean = (values: Float64Array, summary: Summary): Summary => ({
  ...scaleSummary(summary, values.length),
  value: values.reduce((total, value) => total + value, 0),
})

const scoreOf = z.object({ group: z.string(), score: z.number() })

/**
 * The mean over all docs, whose values are `{group, score}`, with its interval. With parity it is the unweighted
 * mean of the groups' means.
 *
 * Sources: Chen et al. 2024, MMStar (https://arxiv.org/abs/2403.20330); lmms-eval 0.7.2, `tasks/mmstar/utils.py`.
 */
export const groupedMean = defineAggregation({
  id: 'grouped_mean',
  of: 'folded',
  args: z.object({}),
  start: (_args, parity) => (parity === undefined ? scoreFold() : macroFold()),
})

function scoreFold(): Fold {
  const numbers = growingColumn()
  return {
    add: value => numbers.push(scoreOf.parse(value).score),
    finish: clusters => summariseWith(numbers.values(), clusters),
  }
}

/** The unweighted mean of the groups' means. */
function macroFold(): Fold {
  const groups = new Map<string, { readonly number: number; readonly scores: number[] }>()
  const terms = collectTerms()
  return {
    add(value) {
      const { group, score } = scoreOf.parse(value)
      const own = groups.get(group) ?? { number: groups.size, scores: [] }
      groups.set(group, own)
      own.scores.push(score)
      terms.addCells([
        [2 * own.number, score],
        [2 * own.number + 1, 1],
      ])
    },
    finish: () => bare(computeMean(Array.from(groups.values(), ({ scores }) => computeMean(scores)))),
    // A resample without a group has no mean of it.
    resample: () => ({
      terms,
      combine: sums =>
        computeMean(Array.from(groups.values(), ({ number }) => (sums[2 * number] ?? 0) / (sums[2 * number + 1] ?? 0))),
      cost: 5 * groups.size,
    }),
  }
}

const computeMean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/**
 * The middle value, or the mean of the two middle values. Its interval is between two of the sorted values, which needs
 * at least six docs.
 */
export const median = defineAggregation({
  id: 'median',
  of: 'numbers',
  summarise(values, parity) {
    // lmms-eval does not sort the values, and takes the second of two middle values.
    if (parity === 'lmms-eval') return bare(values[Math.floor(values.length / 2)] ?? 0)
    const sorted = values.toSorted()
    const half = sorted.length / 2
    const upper = sorted[Math.floor(half)] ?? 0
    const value = Number.isInteger(half) ? ((sorted[half - 1] ?? 0) + upper) / 2 : upper
    const interval = medianInterval(sorted)
    return interval === undefined ? bare(value) : { ...bare(value), interval, intervalMethod: 'order' }
  },
  summariseClustered(values, clusters, _range, parity) {
    if (parity === 'lmms-eval') return undefined
    const value = interpolatePercentile(values.toSorted(), 50)
    const estimate = clusteredMedianInterval(values, clusters)
    if ('none' in estimate) return { ...bare(value), note: `${withoutInterval}: ${estimate.none}` }
    return { ...bare(value), interval: estimate.interval, intervalMethod: 'clustered_order' }
  },
})

/** The sum, for benchmarks that count points. Its interval is that of the mean, times the number of docs. */
export const sum = defineAggregation({
  id: 'sum',
  of: 'numbers',
  summarise: (values, _parity, range) => sumOfMean(values, summariseMean(values, range)),
  summariseClustered(values, clusters, range) {
    const summary = summariseClusteredMean(values, clusters, range)
    return summary && sumOfMean(values, summary)
  },
  bounds(values, missing, [lowest, highest]) {
    const presentSum = values.reduce((total, value) => total + value, 0)
    return [presentSum + missing * lowest, presentSum + missing * highest]
  },
})
