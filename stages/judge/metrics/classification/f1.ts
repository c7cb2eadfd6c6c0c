/** The metrics F1, Fβ, precision, recall and Jaccard index of classes, with their aggregations. */
import { z } from 'zod'
import { defineAggregation, type Fold } from '../../define/define-aggregation.js'
import { defineMetric } from '../../define/define-metric.js'
import { classArgs, classFold, classShape, judgeClass, withPairInterval } from './classes.js'
import { averageRate, type ClassOptions, type RateName } from './f-scores.js'
import { addRateInterval, type Pair } from './rate-interval.js'

/** The options that these metrics share. A doc's value is `[target, answer]`; {@link judgeClass} says how both are read. */
const ofClasses = {
  args: classArgs,
  higherIsBetter: true,
  needsTimeLimit: false,
  reads: 'any',
  judge: judgeClass,
} as const

const betaShape = { beta: z.number().min(0).default(1) }

/**
 * F1 of classes, in [0, 1]: that of the class `pos_label` (`average: binary`), or an average over classes. Higher is
 * better.
 *
 * Source: scikit-learn 1.9.1, `f1_score`; lm-evaluation-harness, `api/metrics.py`, f1.
 */
export const f1 = defineMetric({ ...ofClasses, id: 'f1', aggregation: 'f1' })

/**
 * Fβ of classes, in [0, 1]: like `f1`, but recall counts `beta` times more than precision. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `fbeta_score`.
 */
export const fbeta = defineMetric({
  ...ofClasses,
  id: 'fbeta',
  args: classArgs.extend(betaShape),
  aggregation: 'fbeta',
})

/**
 * The share of the answers of a class that are correct, in [0, 1], averaged like `f1`. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `precision_score`.
 */
export const precision = defineMetric({ ...ofClasses, id: 'precision', aggregation: 'precision' })

/**
 * The share of a class's docs that are answered with it, in [0, 1], averaged like `f1`. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `recall_score`.
 */
export const recall = defineMetric({ ...ofClasses, id: 'recall', aggregation: 'recall' })

/**
 * The docs that have a class as target and answer, divided by those that have it as either. In [0, 1], averaged like
 * `f1`. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `jaccard_score`.
 */
export const jaccard = defineMetric({ ...ofClasses, id: 'jaccard', aggregation: 'jaccard' })

/**
 * Defines the aggregation of a rate, in [0, 1], from values `[target, answer]`. Docs with weights, and means that leave classes out, have the
 * bootstrap's interval.
 */
const rateOfClasses = (id: string, rate: RateName) =>
  defineAggregation({
    id,
    of: 'folded',
    args: z.object(classShape),
    start: options => rateFold(rate, { ...options, beta: 1 }),
  })

function rateFold(rate: RateName, options: ClassOptions & { readonly beta: number }): Fold {
  const classes = classFold(confusion => averageRate(confusion, rate, options))
  const pairs: Pair[] = []
  return withPairInterval(classes, {
    see: ({ gold, answer }) => pairs.push([gold, answer]),
    addInterval(summary, clusters) {
      if (Number.isNaN(options.zero_division)) return summary
      const { average, beta, labels, pos_label: positive } = options
      return addRateInterval(summary, pairs, {
        ...{ rate, average, beta, clusters },
        labels: average === 'binary' ? [positive] : labels,
      })
    },
  })
}

/** F1 of all docs, as {@link f1} defines it. */
export const f1Aggregation = rateOfClasses('f1', 'f')

/** Fβ of all docs, as {@link fbeta} defines it. */
export const fbetaAggregation = defineAggregation({
  id: 'fbeta',
  of: 'folded',
  args: z.object({ ...classShape, ...betaShape }),
  start: options => rateFold('f', options),
})

/** The precision of all docs, as {@link precision} defines it. */
export const precisionAggregation = rateOfClasses('precision', 'precision')

/** The recall of all docs, as {@link recall} defines it. */
export const recallAggregation = rateOfClasses('recall', 'recall')

/** The Jaccard index of all docs, as {@link jaccard} defines it. */
export const jaccardAggregation = rateOfClasses('jaccard', 'jaccard')
