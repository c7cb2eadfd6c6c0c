import { PipelineError } from '../../../base/errors/errors.js'
import {
  computeClusteredPower,
  findClusteredEffect,
  planDocs,
  averageSize,
  unclustered,
  type Clustering,
} from '../../../stages/judge/statistics/power/clustered-power.js'
import {
  computeSharesPower,
  findDetectableShare,
  planSharesSize,
  type PairedShares,
} from '../../../stages/judge/statistics/power/paired-shares-power.js'
import { checkPlan } from '../../../stages/judge/statistics/power/plan-size.js'
import { computeDesignEffect } from '../../../stages/judge/statistics/power/clustered-size.js'

/** The assumptions of a plan: how far scores spread, and how two models' scores go together. */
export interface PowerAssumptions {
  /** The difference of the two models' means that should be found, on the metric's scale. @default 0.03 */
  readonly effect?: number | undefined
  /** The standard deviation of a doc's score with the first model. @default `stdB`, or 0.5 */
  readonly stdA?: number | undefined
  /** The standard deviation with the second model. @default `stdA`, or 0.5 */
  readonly stdB?: number | undefined
  /** The correlation of the two models' scores over docs. @default 0.5 */
  readonly correlation?: number | undefined
  /** The standard deviation of the differences, if it is known. It replaces the three above. */
  readonly stdOfDifferences?: number | undefined
  /** The number of available docs. With it, the plan has their power and smallest detectable effect. */
  readonly docs?: number | undefined
  /** The number of docs that share a cluster, such as the questions about one picture. @default 1 */
  readonly clusterSize?: number | undefined
  /** The sizes of the clusters of a stored run. They replace `clusterSize`. */
  readonly clusterSizes?: readonly number[] | undefined
  /** The intra-cluster correlation of the differences. @default 0 */
  readonly icc?: number | undefined
  /** True if the scores are 0 or 1. @default if no deviation is given */
  readonly areShares?: boolean | undefined
  /** The rate of false alarms. @default 0.05 */
  readonly alpha?: number | undefined
  /** The probability that the effect is found. @default 0.8 */
  readonly power?: number | undefined
}

/** One point of a power curve. */
export interface PowerPoint {
  readonly docs: number
  readonly power: number
  /** The smallest effect that these docs show with the wanted power. */
  readonly detectable: number
}

/** A plan for the comparison of two models on the same docs. Effects are on the metric's scale. */
export interface PowerPlan {
  readonly effect: number
  /** The test for which docs are counted: the score test of independent docs with scores of 0 and 1, else the paired t test. */
  readonly test: 'score' | 't'
  readonly stdA: number
  readonly stdB: number
  readonly correlation: number
  readonly stdOfDifferences: number
  readonly alpha: number
  readonly power: number
  readonly icc: number
  /** The mean number of docs in a cluster. */
  readonly clusterSize: number
  /** The factor by which clusters multiply the number of docs needed. */
  readonly designEffect: number
  /** The number of docs that show the effect with the wanted power. */
  readonly neededDocs: number
  readonly neededClusters: number
  /** The power and the smallest detectable effect of the available docs. Absent without their number. */
  readonly current?: PowerPoint
  /** Power by the number of docs, from an eighth to twice the needed docs. */
  readonly curve: readonly PowerPoint[]
}

/**
 * Plans a comparison of two models on the same docs: the number of docs, the smallest detectable effect, and the power
 * curve.
 *
 * @throws PipelineError if the differences have no variance, or no number of docs shows the effect
 */
export function planPower(assumptions: PowerAssumptions = {}): PowerPlan {
  const { effect = 0.03, alpha = 0.05, power = 0.8, correlation = 0.5, icc = 0, docs } = assumptions
  const stdA = assumptions.stdA ?? assumptions.stdB ?? 0.5
  const stdB = assumptions.stdB ?? assumptions.stdA ?? 0.5
  checkSpread({ stdA, stdB, correlation })
  checkEffect(effect, assumptions)
  const variance = stdA ** 2 + stdB ** 2 - 2 * correlation * stdA * stdB
  const stdOfDifferences = assumptions.stdOfDifferences ?? Math.sqrt(Math.max(0, variance))
  if (!(stdOfDifferences > 0))
    throw new PipelineError(
      'usage',
      `The differences have no variance: the deviations are ${stdA} and ${stdB}, and the correlation is ${correlation}. Name a correlation below 1, or other deviations.`,
    )
  const sizes = assumptions.clusterSizes ?? assumptions.clusterSize ?? 1
  if (typeof sizes === 'number' && !(sizes >= 1))
    throw new PipelineError('usage', `The cluster size is ${sizes}. A cluster has at least one doc.`)
  const clustering: Clustering = sizes === 1 ? unclustered : { sizes, icc }
  const settings = { alpha, power }
  const { areShares = isWithoutDeviation(assumptions) } = assumptions
  const test = areShares && sizes === 1 && Math.abs(effect) < 1 ? 'score' : 't'
  const shares = { effect, deviation: stdOfDifferences }
  const needed =
    test === 'score' ? countShares(shares, settings) : planDocs(effect / stdOfDifferences, clustering, settings)
  const measure = (n: number): PowerPoint =>
    test === 'score'
      ? {
          docs: n,
          power: computeSharesPower(shares, n, settings),
          detectable: findDetectableShare(stdOfDifferences, n, settings),
        }
      : {
          docs: n,
          power: computeClusteredPower({ ...clustering, effect: effect / stdOfDifferences, n }, settings),
          detectable: findClusteredEffect(n, clustering, settings) * stdOfDifferences,
        }
  const clusterSize = averageSize(sizes)
  return {
    ...{ effect, test, stdA, stdB, correlation, stdOfDifferences, alpha, power, icc, clusterSize },
    designEffect: computeDesignEffect(clustering.sizes, clustering.icc),
    neededDocs: needed.docs,
    neededClusters: needed.clusters,
    ...(docs === undefined ? {} : { current: measure(docs) }),
    curve: listCurveDocs(needed.docs, clusterSize).map(measure),
  }
}

function countShares(shares: PairedShares, settings: { readonly alpha: number; readonly power: number }) {
  checkPlan(shares.effect, settings)
  const docs = planSharesSize(shares, settings)
  return { docs, clusters: docs }
}

/** Tells whether no deviation is given. Scores of 0 and 1 are assumed then. */
const isWithoutDeviation = ({ stdA, stdB, stdOfDifferences }: PowerAssumptions): boolean =>
  [stdA, stdB, stdOfDifferences].every(deviation => deviation === undefined)

const curveShares = [1 / 8, 1 / 4, 1 / 2, 3 / 4, 1, 3 / 2, 2]

/** A test needs two clusters, so that small plans have fewer points. */
function listCurveDocs(needed: number, clusterSize: number): readonly number[] {
  const fewest = Math.ceil(2 * clusterSize)
  return [...new Set(curveShares.map(share => Math.round(needed * share)))].filter(docs => docs >= fewest)
}

/** Two shares differ by less than 1. Without a deviation, scores of 0 and 1 are assumed. */
function checkEffect(effect: number, assumptions: PowerAssumptions): void {
  if (isWithoutDeviation(assumptions) && Math.abs(effect) >= 1)
    throw new PipelineError(
      'usage',
      `The effect is ${effect}, and two shares of right answers differ by less than 1: two points of 100 are 0.02. For scores on another scale, name their standard deviation.`,
    )
}

function checkSpread({
  stdA,
  stdB,
  correlation,
}: {
  readonly stdA: number
  readonly stdB: number
  readonly correlation: number
}): void {
  if (!(stdA >= 0 && stdB >= 0 && Number.isFinite(stdA + stdB)))
    throw new PipelineError(
      'usage',
      `The standard deviations are ${stdA} and ${stdB}, and they must be 0 or more. Scores of 0 and 1 have at most 0.5.`,
    )
  if (!(correlation >= -1 && correlation <= 1))
    throw new PipelineError('usage', `The correlation is ${correlation}, and it must be between −1 and 1.`)
}
