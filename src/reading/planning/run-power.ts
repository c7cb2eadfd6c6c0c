/** Plans comparisons from the scores of stored runs. */
import { PipelineError } from '../../../base/errors/errors.js'
import { estimateMean } from '../../../stages/judge/statistics/intervals/mean.js'
import { computePearson } from '../../../stages/judge/statistics/paired/correlations.js'
import { estimateClusterCorrelation } from '../../../stages/judge/statistics/power/clustered-size.js'
import { alignDocs } from '../comparing/align-docs.js'
import { nothingInCommon, readJudgedRun, type CompareHints, type StoredReference } from '../comparing/compare-runs.js'
import { pairMetrics, type PairedDoc, type PairedMetric } from '../comparing/pair-samples.js'
import { planPower, type PowerAssumptions, type PowerPlan } from './plan-power.js'

/** The plan for one metric of one task. */
export interface TaskPower {
  readonly task: string
  /** `metric` or `metric,filter`. */
  readonly metric: string
  /** The number of docs with a score, in both runs if there are two. */
  readonly docs: number
  /** The mean score of the first run. */
  readonly meanA: number
  /** The mean score of the second run. Absent with one run. */
  readonly meanB?: number
  /** Absent if there is no plan. */
  readonly plan?: PowerPlan
  /** The reason why there is no plan. */
  readonly reason?: string
}

/** Plans from stored runs. */
export interface RunPower {
  readonly a: string
  /** The second run. With it, the spread of the differences is measured instead of assumed. */
  readonly b?: string
  readonly tasks: readonly TaskPower[]
}

/**
 * Plans a comparison from the scores of one or two runs. One run provides the spread and the clustering of the scores, and the correlation is
 * assumed. Two runs provide the spread and the clustering of the differences.
 *
 * @param settings assumptions that override measured values, and the effect, alpha and power
 * @throws PipelineError if a run has no scores, or two runs have no common metric
 */
export async function planRunPower(
  a: StoredReference,
  b: StoredReference | undefined,
  { hints, ...settings }: PowerAssumptions & { readonly hints: CompareHints },
): Promise<RunPower> {
  const first = await readJudgedRun(a.store, a.reference, { hints, withPlaces: b !== undefined })
  if (b === undefined)
    return { a: first.label, tasks: pairMetrics(first, first).map(metric => planAlone(metric, settings)) }
  const second = await readJudgedRun(b.store, b.reference, { hints, withPlaces: true })
  const metrics = pairMetrics({ ...first, docs: alignDocs(first, second).a }, second)
  if (metrics.length === 0) throw nothingInCommon(first, second)
  return { a: first.label, b: second.label, tasks: metrics.map(metric => planPaired(metric, settings)) }
}

function planAlone({ task, metric, pairs }: PairedMetric, settings: PowerAssumptions): TaskPower {
  const values = pairs.map(({ a }) => a)
  const { mean = 0, variance = 0 } = estimateMean(values) ?? {}
  return {
    ...{ task, metric, docs: pairs.length, meanA: mean },
    ...tryPlan({
      stdA: Math.sqrt(Math.max(0, variance || 0)),
      docs: pairs.length,
      areShares: areShares(values) && isMeasured(settings),
      ...measureClusters(pairs, values),
      ...settings,
    }),
  }
}

function planPaired({ task, metric, pairs }: PairedMetric, settings: PowerAssumptions): TaskPower {
  const [a, b] = [pairs.map(pair => pair.a), pairs.map(pair => pair.b)]
  const differences = pairs.map(pair => pair.b - pair.a)
  const computeStd = (values: readonly number[]): number => Math.sqrt(estimateMean(values)?.variance ?? 0) || 0
  const correlation = computePearson(a, b)
  const stated = { ...(correlation === undefined ? {} : { correlation }), ...settings }
  // A stated spread or correlation replaces the measured spread of the differences.
  const isStated = [settings.stdA, settings.stdB, settings.correlation].some(value => value !== undefined)
  return {
    ...{ task, metric, docs: pairs.length },
    ...{ meanA: estimateMean(a)?.mean ?? 0, meanB: estimateMean(b)?.mean ?? 0 },
    ...tryPlan({
      ...{ stdA: computeStd(a), stdB: computeStd(b), docs: pairs.length },
      ...(isStated ? {} : { stdOfDifferences: computeStd(differences) }),
      areShares: areShares([...a, ...b]) && isMeasured(settings),
      ...measureClusters(pairs, differences),
      ...stated,
    }),
  }
}

const areShares = (values: readonly number[]): boolean => values.every(value => value === 0 || value === 1)

/** Tells whether the deviations are those of the scores. */
const isMeasured = ({ stdA, stdB, stdOfDifferences }: PowerAssumptions): boolean =>
  [stdA, stdB, stdOfDifferences].every(deviation => deviation === undefined)

/** Plans one metric. A metric with constant scores has a reason instead of a plan. */
function tryPlan(assumptions: PowerAssumptions): Pick<TaskPower, 'plan' | 'reason'> {
  try {
    return { plan: planPower(assumptions) }
  } catch (error) {
    if (error instanceof PipelineError)
      return {
        reason:
          assumptions.stdA === 0 && assumptions.stdB === undefined
            ? 'All docs have the same score, which says nothing of the spread of the differences. Name the deviations, or a second run.'
            : error.message,
      }
    throw error
  }
}

/** Measures the sizes of clusters and their correlation. Docs without clusters, or with constant values, are independent. */
function measureClusters(
  pairs: readonly PairedDoc[],
  values: readonly number[],
): Pick<PowerAssumptions, 'clusterSizes' | 'icc'> {
  const clusters = pairs.map(({ cluster }) => cluster)
  const sizes = new Map<string, number>()
  for (const cluster of clusters) if (cluster !== undefined) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1)
  const isClustered = clusters.every(cluster => cluster !== undefined) && sizes.size >= 2 && sizes.size < pairs.length
  if (!isClustered || new Set(values).size < 2) return {}
  const { icc } = estimateClusterCorrelation(values, clusters)
  return { clusterSizes: [...sizes.values()], icc: Math.max(0, icc) }
}
