/** Measures of the stability of scores over several samples of each doc. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { estimateMean } from '../intervals/mean.js'

/** The stability of scores. */
export interface Stability {
  /** EA: the mean of all scores. It weights samples, not docs. */
  readonly expectedAccuracy: number
  /** CA: the share of docs whose scores add up to more than half the number of their samples. */
  readonly consensusAccuracy: number
  /** IV: the mean over docs of the variance of a doc's scores, with k − 1; null if no doc has two samples. */
  readonly internalVariance: number | null
  /** CR: the share of docs whose scores are all equal. Two different wrong answers count as consistent. */
  readonly consistencyRate: number
  /** The spread of the scores. Null if docs have different numbers of samples. */
  readonly spread: ScoreSpread | null
}

/** The spread of the scores of docs with the same number of samples. */
export interface ScoreSpread {
  /** The standard error of EA over docs; null for a single doc. */
  readonly stderr: number | null
  /** The standard error that EA would have if all samples were independent, which samples of one doc are not; null for a single sample. */
  readonly independentStderr: number | null
  /** The variance of the docs' means. */
  readonly between: number
  /** The mean variance of the scores of one doc. */
  readonly within: number
  /** `between` + `within`: the variance of all scores. */
  readonly total: number
}

/** The stability of one doc. */
export interface DocStability {
  /** Whether the scores add up to more than half the number of samples. */
  readonly isConsensus: boolean
  /** Whether all scores are equal. */
  readonly isConsistent: boolean
  /** The variance of the scores, with k − 1; null with fewer than two samples. */
  readonly variance: number | null
}

/** Measures the stability of the scores of one doc. A doc without samples is neither right nor consistent. */
export const measureDoc = (scores: readonly number[]): DocStability => ({
  isConsensus: addScores(scores) > scores.length / 2,
  isConsistent: scores.length > 0 && scores.every(score => score === scores[0]),
  variance: scores.length < 2 ? null : (estimateMean(scores)?.variance ?? 0),
})

/**
 * Measures the stability of scores: one list for each doc, one score for each sample. A doc without samples counts as
 * neither right nor consistent.
 *
 * Source: lmms-eval 0.7.2, `expected_accuracy`, `consensus_accuracy`, `internal_variance` and `consistency_rate`; the
 * law of total variance for the spread.
 *
 * @throws PipelineError if there is no score
 */
export function measureStability(scores: readonly (readonly number[])[]): Stability {
  const overall = estimateMean(scores.flat())
  if (overall === undefined)
    throw new PipelineError('usage', 'There are no scores, so that their stability is undefined.')
  const docs = scores.map(measureDoc)
  const variances = docs.flatMap(({ variance }) => variance ?? [])
  return {
    expectedAccuracy: overall.mean,
    consensusAccuracy: docs.filter(({ isConsensus }) => isConsensus).length / docs.length,
    internalVariance: estimateMean(variances)?.mean ?? null,
    consistencyRate: docs.filter(({ isConsistent }) => isConsistent).length / docs.length,
    spread: measureSpread(scores, overall.stderr),
  }
}

function measureSpread(scores: readonly (readonly number[])[], independentStderr: number): ScoreSpread | null {
  const k = scores[0]?.length ?? 0
  if (k === 0 || scores.some(doc => doc.length !== k)) return null
  const docs = scores.map(doc => estimateMean(doc))
  const means = estimateMean(docs.map(doc => doc?.mean ?? 0))
  const within = estimateMean(docs.map(doc => (k < 2 ? 0 : ((doc?.variance ?? 0) * (k - 1)) / k)))?.mean ?? 0
  const n = scores.length
  const between = means === undefined || n < 2 ? 0 : (means.variance * (n - 1)) / n
  return {
    stderr: n < 2 || means === undefined ? null : means.stderr,
    independentStderr: n * k < 2 ? null : independentStderr,
    between,
    within,
    total: between + within,
  }
}

const addScores = (scores: readonly number[]): number => scores.reduce((sum, score) => sum + score, 0)
