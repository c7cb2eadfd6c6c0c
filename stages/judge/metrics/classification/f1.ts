import { z } from 'zod'
import { defineAggregation } from '../../define/define-aggregation.js'
import { defineMetric } from '../../define/define-metric.js'
import { classArgs, classFold, classShape, judgeClass } from './classes.js'
import { averageRate } from './f-scores.js'

/**
 * F1 of classes, in [0, 1]: of the class `pos_label` (`average: binary`), or averaged over classes. Higher is better. For what a doc's
 * target and answer are, see {@link judgeClass}.
 *
 * Source: scikit-learn 1.9.1, `f1_score`; lm-evaluation-harness, `api/metrics.py`, f1.
 */
export const f1 = defineMetric({
  id: 'f1',
  args: classArgs,
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'f1',
  judge: judgeClass,
})

/**
 * F1 of all docs, in [0, 1], from `[target, answer]`: the harmonic mean of precision and recall, of one class or averaged over classes.
 *
 * Source: scikit-learn 1.9.1, `f1_score`.
 */
export const f1Aggregation = defineAggregation({
  id: 'f1',
  of: 'folded',
  args: z.object(classShape),
  start: options => classFold(confusion => averageRate(confusion, 'f', options)),
})

/**
 * Fβ of classes, in [0, 1]: as `f1`, with recall `beta` times as important as precision. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `fbeta_score`.
 */
export const fbeta = defineMetric({
  id: 'fbeta',
  args: classArgs.extend({ beta: z.number().min(0).default(1) }),
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'fbeta',
  judge: judgeClass,
})

/**
 * Fβ of all docs, in [0, 1], from `[target, answer]`: as `f1`, with recall `beta` times as important as precision.
 *
 * Source: scikit-learn 1.9.1, `fbeta_score`.
 */
export const fbetaAggregation = defineAggregation({
  id: 'fbeta',
  of: 'folded',
  args: z.object({ ...classShape, beta: z.number().min(0).default(1) }),
  start: options => classFold(confusion => averageRate(confusion, 'f', options)),
})

/**
 * The share of right ones among the answers of a class, in [0, 1], averaged as `f1` is. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `precision_score`.
 */
export const precision = defineMetric({
  id: 'precision',
  args: classArgs,
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'precision',
  judge: judgeClass,
})

/**
 * The share of right ones among the answers of a class, in [0, 1], from `[target, answer]`.
 *
 * Source: scikit-learn 1.9.1, `precision_score`.
 */
export const precisionAggregation = defineAggregation({
  id: 'precision',
  of: 'folded',
  args: z.object(classShape),
  start: options => classFold(confusion => averageRate(confusion, 'precision', options)),
})

/**
 * The share of a class's docs that are answered with it, in [0, 1], averaged as `f1` is. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `recall_score`.
 */
export const recall = defineMetric({
  id: 'recall',
  args: classArgs,
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'recall',
  judge: judgeClass,
})

/**
 * The share of a class's docs that are answered with it, in [0, 1], from `[target, answer]`.
 *
 * Source: scikit-learn 1.9.1, `recall_score`.
 */
export const recallAggregation = defineAggregation({
  id: 'recall',
  of: 'folded',
  args: z.object(classShape),
  start: options => classFold(confusion => averageRate(confusion, 'recall', options)),
})

/**
 * The docs that are of a class and answered with it, over those that are either: in [0, 1], averaged as `f1` is. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `jaccard_score`.
 */
export const jaccard = defineMetric({
  id: 'jaccard',
  args: classArgs,
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'jaccard',
  judge: judgeClass,
})

/**
 * The docs that are of a class and answered with it, over those that are either, in [0, 1], from `[target, answer]`.
 *
 * Source: scikit-learn 1.9.1, `jaccard_score`.
 */
export const jaccardAggregation = defineAggregation({
  id: 'jaccard',
  of: 'folded',
  args: z.object(classShape),
  start: options => classFold(confusion => averageRate(confusion, 'jaccard', options)),
})
