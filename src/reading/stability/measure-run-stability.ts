import { clusteredMean } from '../../../stages/judge/statistics/clusters/clustered-mean.js'
import { effectiveWilson } from '../../../stages/judge/statistics/intervals/bounded-interval.js'
import type { Interval } from '../../../stages/judge/statistics/intervals/interval.js'
import { estimateMean, tInterval } from '../../../stages/judge/statistics/intervals/mean.js'
import { estimatePasses } from '../../../stages/judge/statistics/stability/pass-estimates.js'
import { measureDoc, measureStability } from '../../../stages/judge/statistics/stability/sample-stability.js'
import { estimateMajorityAtK } from '../../../stages/judge/statistics/stability/vote.js'

/** One doc of a metric: the score and the answer of each sample. */
export interface SampledScores {
  readonly id: string
  readonly scores: readonly number[]
  /** The extracted answers, in the order of the scores. */
  readonly answers: readonly string[]
  /** The cluster of docs that the doc belongs to. */
  readonly cluster?: string | undefined
}

/** A mean over docs with its 95 % interval, which is null if it has none. */
export interface StabilityValue {
  readonly value: number
  readonly interval: Interval | null
}

/** Estimates for k samples of a doc. */
export interface AttemptValues {
  readonly k: number
  /** The probability that at least one of k samples is right. */
  readonly passAtK: StabilityValue
  /** The probability that all of k samples are right. */
  readonly passHatK: StabilityValue
  /** The probability that the majority vote of k samples is right. */
  readonly majAtK: StabilityValue
}

/** The stability of one metric over the samples of docs. */
export interface StabilityValues {
  readonly docs: number
  /** The number of samples of a doc, and the highest number if docs have different ones. */
  readonly samples: number
  readonly mostSamples: number
  /** EA: the mean of all scores. */
  readonly expectedAccuracy: StabilityValue
  /** CA: the share of docs whose scores add up to more than half of their samples. */
  readonly consensusAccuracy: StabilityValue
  /** IV: the mean variance of a doc's scores. */
  readonly internalVariance: StabilityValue
  /** CR: the share of docs whose scores are all equal. */
  readonly consistencyRate: StabilityValue
  /** pass@k, pass^k and maj@k for scores of 0 and 1; empty for others. */
  readonly attempts: readonly AttemptValues[]
}

/** Measures the stability of a metric, with docs (or their clusters) as clusters of the samples. */
export function measureRunStability(docs: readonly SampledScores[]): StabilityValues {
  const scores = docs.map(doc => doc.scores)
  const { expectedAccuracy, consensusAccuracy, internalVariance, consistencyRate } = measureStability(scores)
  const stabilities = scores.map(measureDoc)
  const counts = scores.map(({ length }) => length)
  const [samples, mostSamples] = [Math.min(...counts), Math.max(...counts)]
  const clusters = docs.map(({ id, cluster }) => cluster ?? `doc ${id}`)
  const measure = (values: readonly number[], range: Interval | undefined): Interval | null =>
    findInterval(values, clusters, range)
  const isBinary = scores.every(doc => doc.every(score => score === 0 || score === 1))
  const unit: Interval = [0, 1]
  const clusteredScores = docs.flatMap((doc, i) => doc.scores.map(score => ({ score, cluster: clusters[i] ?? '' })))
  return {
    ...{ docs: docs.length, samples, mostSamples },
    expectedAccuracy: {
      value: expectedAccuracy,
      interval: findInterval(
        clusteredScores.map(({ score }) => score),
        clusteredScores.map(({ cluster }) => cluster),
        isBinary ? unit : undefined,
      ),
    },
    consensusAccuracy: {
      value: consensusAccuracy,
      interval: measure(
        stabilities.map(({ isConsensus }) => Number(isConsensus)),
        unit,
      ),
    },
    internalVariance: {
      value: internalVariance ?? 0,
      interval: measure(
        stabilities.map(({ variance }) => variance ?? 0),
        // The variance of values from 0 to 1 is at most n / (4 (n − 1)).
        isBinary && samples > 1 ? [0, samples / (4 * (samples - 1))] : undefined,
      ),
    },
    consistencyRate: {
      value: consistencyRate,
      interval: measure(
        stabilities.map(({ isConsistent }) => Number(isConsistent)),
        unit,
      ),
    },
    attempts: isBinary ? listSizes(samples).map(k => measureAttempts(docs, k, measure)) : [],
  }
}

function measureAttempts(
  docs: readonly SampledScores[],
  k: number,
  measure: (values: readonly number[], range: Interval) => Interval | null,
): AttemptValues {
  const passes = docs.map(({ scores }) => estimatePasses({ n: scores.length, correct: addScores(scores) }, k))
  const summarize = (values: readonly number[]): StabilityValue => ({
    value: estimateMean(values)?.mean ?? 0,
    interval: measure(values, [0, 1]),
  })
  return {
    k,
    passAtK: summarize(passes.map(({ passAtK }) => passAtK)),
    passHatK: summarize(passes.map(({ passHatK }) => passHatK)),
    majAtK: summarize(docs.map(doc => estimateMajorityAtK(listVotes(doc), rightVote, k))),
  }
}

/** Right answers vote together, however they are written. */
const rightVote = true

/** The votes of a doc: all right samples as one, and wrong ones by their answer. */
export const listVotes = ({ scores, answers }: Pick<SampledScores, 'scores' | 'answers'>): readonly (string | true)[] =>
  scores.map((score, i) => (score >= 1 ? rightVote : (answers[i] ?? '')))

/** The numbers of samples that are reported: 1 and the powers of two, and all samples of a doc. */
const listSizes = (samples: number): readonly number[] =>
  [...new Set([1, 2, 4, 8, 16, 32, 64, 128, samples])].filter(k => k <= samples).sort((a, b) => a - b)

/**
 * Wilson's interval on the effective number of docs, for all values with a range, and else Student's. A choice between both by the data would cover
 * less than either.
 */
function findInterval(
  values: readonly number[],
  clusters: readonly string[],
  range: Interval | undefined,
): Interval | null {
  const mean = clusteredMean(values, clusters)
  if ('none' in mean) return null
  const stderr = mean.cr2
  if (range === undefined) return stderr > 0 ? tInterval({ mean: mean.mean, stderr }, mean.df) : null
  const isGraded = values.some(value => value !== range[0] && value !== range[1])
  return effectiveWilson({ ...mean, stderr }, range, { isGraded })
}

const addScores = (scores: readonly number[]): number => scores.reduce((sum, score) => sum + score, 0)
