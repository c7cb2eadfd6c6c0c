/** Metrics and aggregations of the likelihood of texts, by doc, word or byte. */
import { z } from 'zod'
import { pythonRegex } from '../../../../base/python/python-regex.js'
import { sumFold } from '../../aggregations/sum-fold.js'
import {
  bare,
  defineAggregation,
  describeTooFewClusters,
  withoutInterval,
  type Fold,
  type Summary,
} from '../../define/define-aggregation.js'
import { clusteredMean } from '../../statistics/clusters/clustered-mean.js'
import { defineMetric, scored, type MetricInput, type Verdict } from '../../define/define-metric.js'
import { hasSpread, hasTooFewClusters } from '../../statistics/intervals/bounded-interval.js'
import { meanInterval } from '../../statistics/intervals/mean.js'

const space = pythonRegex(String.raw`\s+`, 'g')

/** The number of pieces between white space. Empty pieces at the ends count too. */
export const wordCount = (text: string): number => text.split(space).length

export const byteCount = (text: string): number => Buffer.byteLength(text)

/** Returns `[log-likelihood, length]` of the doc's target. */
function judgeLikelihood({ bodies, references }: MetricInput, length: (text: string) => number): Verdict {
  const logprob = bodies[0]?.logprob
  if (logprob === undefined) throw new Error('the answer has no log-likelihood')
  return scored([logprob, length(references[0] ?? '')])
}

/**
 * The perplexity of the continuations: exp(−mean log-likelihood of a doc), not of a token. In [1, ∞), lower is
 * better.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, perplexity.
 */
export const perplexity = defineMetric({
  id: 'perplexity',
  args: z.strictObject({}),
  higherIsBetter: false,
  reads: 'logprobs',
  aggregation: 'perplexity',
  judge({ bodies }) {
    const logprob = bodies[0]?.logprob
    if (logprob === undefined) throw new Error('the answer has no log-likelihood')
    return scored(logprob)
  },
})

/**
 * The word perplexity of the target texts: exp(−Σ log-likelihood / Σ words) over all docs, at least 1. Words are
 * separated by white space, and empty ones at the ends count. Lower is better.
 *
 * Source: lm-evaluation-harness, `api/task.py`, process_results.
 */
export const wordPerplexity = defineMetric({
  id: 'word_perplexity',
  args: z.strictObject({}),
  higherIsBetter: false,
  reads: 'logprobs',
  aggregation: 'weighted_perplexity',
  judge: input => judgeLikelihood(input, wordCount),
})

/**
 * The byte perplexity of the target texts: exp(−Σ log-likelihood / Σ UTF-8 bytes) over all docs, at least 1. Lower
 * is better.
 *
 * Source: lm-evaluation-harness, `api/task.py`, process_results.
 */
export const bytePerplexity = defineMetric({
  id: 'byte_perplexity',
  args: z.strictObject({}),
  higherIsBetter: false,
  reads: 'logprobs',
  aggregation: 'weighted_perplexity',
  judge: input => judgeLikelihood(input, byteCount),
})

/**
 * Bits per UTF-8 byte of the target texts: −Σ log₂-likelihood / Σ bytes over all docs. Lower is better.
 *
 * Source: lm-evaluation-harness, `api/task.py`, process_results.
 */
export const bitsPerByte = defineMetric({
  id: 'bits_per_byte',
  args: z.strictObject({}),
  higherIsBetter: false,
  reads: 'logprobs',
  aggregation: 'bits_per_byte',
  judge: input => judgeLikelihood(input, byteCount),
})

const pair = z.tuple([z.number(), z.number()])

/** Sums `[log-likelihood, length]`. `convert` converts the log-likelihood per unit of length. */
const weightedFold = (convert: (mean: number) => number): Fold =>
  sumFold({
    read(value) {
      const parsed = pair.safeParse(value)
      if (!parsed.success)
        throw new Error(`it takes [log-likelihood, length], not ${JSON.stringify(value).slice(0, 200)}`)
      return parsed.data
    },
    combine: ({ 0: total = 0, 1: lengths = 0 }) => convert(total / lengths),
  })

/**
 * exp(−mean) of log-likelihoods. Its interval is the mean's t interval, transformed. Its standard error is the
 * mean's times the value (delta method).
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, perplexity.
 */
export const perplexityAggregation = defineAggregation({
  id: 'perplexity',
  of: 'numbers',
  summarise(values) {
    const estimate = meanInterval(values)
    if (estimate === undefined) return bare(null)
    const value = Math.exp(-estimate.mean)
    if (estimate.interval === null || estimate.stderr === null) return bare(value)
    if (!hasSpread({ mean: estimate.mean, stderr: estimate.stderr }))
      return { ...bare(value), stderr: 0, note: `${withoutInterval}: all docs have the same value` }
    const { stderr, interval } = estimate
    return { ...transformMean(value, { stderr, interval }), intervalMethod: 't' }
  },
  summariseClustered(values, clusters) {
    const estimate = clusteredMean(values, clusters)
    if ('none' in estimate) return undefined
    const { mean, cr2: stderr, df, interval } = estimate
    const value = Math.exp(-mean)
    if (hasTooFewClusters(df)) return { ...bare(value), note: describeTooFewClusters(estimate.clusters) }
    if (!hasSpread({ mean, stderr }))
      return { ...bare(value), stderr: 0, note: `${withoutInterval}: all clusters have the same mean` }
    return { ...transformMean(value, { stderr, interval }), intervalMethod: 'clustered' }
  },
})

/** The standard error (delta method) and the interval of exp(−mean). */
const transformMean = (
  value: number,
  { stderr, interval: [low, high] }: { readonly stderr: number; readonly interval: readonly [number, number] },
): Pick<Summary, 'value' | 'stderr' | 'interval'> => ({
  value,
  stderr: stderr * value,
  interval: [Math.exp(-high), Math.exp(-low)],
})

/**
 * exp(−Σ log-likelihood / Σ length) over all docs, at least 1, from `[log-likelihood, length]`.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, weighted_perplexity.
 */
export const weightedPerplexity = defineAggregation({
  id: 'weighted_perplexity',
  of: 'folded',
  args: z.object({}),
  start: () => weightedFold(mean => Math.exp(-mean)),
})

/**
 * −Σ log₂-likelihood / Σ bytes over all docs, from `[log-likelihood, bytes]`.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, bits_per_byte.
 */
export const bitsPerByteAggregation = defineAggregation({
  id: 'bits_per_byte',
  of: 'folded',
  args: z.object({}),
  start: () => weightedFold(mean => -mean / Math.LN2),
})
