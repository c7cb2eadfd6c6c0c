/**
 * The statistics of the program as functions of plain data: `import { statistics } from 'pipeline'`. Each names its source where it is defined, and is
 * checked against reference implementations.
 */

// Means and shares.
export { meanInterval as computeMeanInterval, testMean } from '../../stages/judge/statistics/intervals/mean.js'
export { clusteredMean as computeClusteredMean } from '../../stages/judge/statistics/clusters/clustered-mean.js'
export { medianInterval as computeMedianInterval } from '../../stages/judge/statistics/intervals/median-interval.js'
export {
  agrestiCoull as computeAgrestiCoull,
  clopperPearson as computeClopperPearson,
  jeffreys as computeJeffreys,
  wilson as computeWilson,
} from '../../stages/judge/statistics/intervals/proportions.js'
export { bootstrapInterval as computeBootstrapInterval } from '../../stages/judge/statistics/resampling/bootstrap-interval.js'

// Paired differences.
export { comparePaired } from '../../stages/judge/statistics/paired/compare-paired.js'
export {
  scoreInterval as computeTango,
  testScore as testPairedShares,
} from '../../stages/judge/statistics/paired/tango.js'
export { countPairs, mcnemar as testMcnemar } from '../../stages/judge/statistics/paired/mcnemar.js'
export { testEquivalence } from '../../stages/judge/statistics/paired/equivalence.js'
export { testSignedRanks, testSignedRanksExactly } from '../../stages/judge/statistics/paired/wilcoxon.js'
export { adjustPValues } from '../../stages/judge/statistics/multiplicity/adjust-p-values.js'

// Plans.
export { computePairedPower, computeTwoSamplePower } from '../../stages/judge/statistics/power/t-power.js'
export {
  findDetectableEffect,
  planPairedSize,
  planTwoSampleSize,
} from '../../stages/judge/statistics/power/plan-size.js'
export { computeClusteredPower } from '../../stages/judge/statistics/power/clustered-power.js'
export { computeDesignEffect, planClusteredSize } from '../../stages/judge/statistics/power/clustered-size.js'

// Repeats and changes.
export { measureStability } from '../../stages/judge/statistics/stability/sample-stability.js'
export { averagePasses, estimatePasses } from '../../stages/judge/statistics/stability/pass-estimates.js'
export { estimateMajorityAtK } from '../../stages/judge/statistics/stability/vote.js'
export { detectChange } from '../../stages/judge/statistics/stability/detect-change.js'

// Agreement and rankings.
export { computeKappa } from '../../stages/judge/statistics/agreement/cohen.js'
export { computeFleissKappa } from '../../stages/judge/statistics/agreement/fleiss.js'
export { computeAlpha } from '../../stages/judge/statistics/agreement/krippendorff.js'
export { computeIntraclass } from '../../stages/judge/statistics/agreement/intraclass.js'
export { testKendall, testPearson, testSpearman } from '../../stages/judge/statistics/agreement/rank-correlation.js'
export { fitBradleyTerry } from '../../stages/judge/statistics/agreement/bradley-terry.js'
export { replayElo } from '../../stages/judge/statistics/agreement/elo.js'
export { estimatePpiMean } from '../../stages/judge/statistics/ppi/ppi-mean.js'

// Looking at scores while they come in.
export { computeBettingSequence, testMeanByBetting } from '../../stages/judge/statistics/anytime/betting.js'
export {
  computeBernsteinSequence,
  computeHoeffdingSequence,
} from '../../stages/judge/statistics/anytime/confidence-sequence.js'
export {
  computeAsymptoticSequence,
  computeBernoulliSequence,
} from '../../stages/judge/statistics/anytime/interval-sequences.js'
export {
  computeObrienFlemingBoundaries,
  computePeekingError,
  computePocockBoundary,
  computeSpendingBoundaries,
} from '../../stages/judge/statistics/anytime/group-sequential.js'
