/** Metrics and aggregations that use the whole confusion matrix. */
import { z } from 'zod'
import { growingColumn } from '../../../../base/collections/growing-column.js'
import { summariseWith } from '../../aggregations/means.js'
import { bare, defineAggregation, type Fold } from '../../define/define-aggregation.js'
import { defineMetric } from '../../define/define-metric.js'
import { classFold, judgeClass, label, labelArgs, withPairInterval } from './classes.js'
import { confusionMatrix, confusionMatrix as matrixOf, isSameLabel, newConfusion, type Confusion } from './confusion.js'
import { groupInterval } from '../../statistics/intervals/group-interval.js'
import { wilson } from '../../statistics/intervals/proportions.js'

/**
 * Matthews' correlation of targets and answers for any number of classes: −1 to 1, and 0 for no relation. Higher is
 * better.
 *
 * Source: scikit-learn 1.9.1, `matthews_corrcoef`; lm-evaluation-harness, `api/metrics.py`, mcc.
 */
export const mcc = defineMetric({
  id: 'mcc',
  args: labelArgs,
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'matthews_corrcoef',
  judge: judgeClass,
})

/** Matthews' correlation of targets and answers, in [−1, 1], from `[target, answer]`. Source: scikit-learn 1.9.1, `matthews_corrcoef`. */
export const matthewsCorrcoef = defineAggregation({
  id: 'matthews_corrcoef',
  of: 'folded',
  args: z.object({}),
  start: () => classFold(matthewsCorrelation),
})

/**
 * The mean recall of the classes, in [0, 1]. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `balanced_accuracy_score`.
 */
export const balancedAccuracy = defineMetric({
  id: 'balanced_accuracy',
  args: labelArgs,
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'balanced_accuracy',
  judge: judgeClass,
})

/**
 * The mean recall of the classes, in [0, 1], from `[target, answer]`. The interval is that of a group of tasks, which the classes are. Docs with weights or
 * clusters have the bootstrap's.
 *
 * Source: scikit-learn 1.9.1, `balanced_accuracy_score`.
 */
export const balancedAccuracyAggregation = defineAggregation({
  id: 'balanced_accuracy',
  of: 'folded',
  args: z.object({}),
  start: () => balancedFold(),
})

/**
 * Cohen's kappa of targets and answers: 1 is perfect, 0 is the agreement expected from the class frequencies.
 * Higher is better.
 *
 * Source: scikit-learn 1.9.1, `cohen_kappa_score`.
 */
export const cohenKappa = defineMetric({
  id: 'cohen_kappa',
  args: labelArgs.extend({ weights: z.enum(['none', 'linear', 'quadratic']).nullish() }),
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'cohen_kappa',
  judge: judgeClass,
})

/**
 * Cohen's kappa of targets and answers, at most 1, from `[target, answer]`. With `weights`, neighbouring classes
 * disagree less. The value is null if there is only one class.
 *
 * Source: scikit-learn 1.9.1, `cohen_kappa_score`.
 */
export const cohenKappaAggregation = defineAggregation({
  id: 'cohen_kappa',
  of: 'folded',
  args: z.object({
    weights: z
      .enum(['none', 'linear', 'quadratic'])
      .nullish()
      .transform(weights => weights ?? 'none'),
  }),
  start: ({ weights }) =>
    classFold(
      confusion => computeCohenKappa(confusion, weights),
      classes => 100 * classes * classes,
    ),
})

/** The share of correct docs, in [0, 1], from `[target, answer]`. Source: scikit-learn 1.9.1, `accuracy_score`. */
export const accuracyAggregation = defineAggregation({
  id: 'accuracy',
  of: 'folded',
  args: z.object({}),
  start: () => accuracyFold(),
})

/**
 * The confusion matrix of targets (rows) and answers (columns), from `[target, answer]`. It is the note of an
 * aggregate without a number. `normalize` gives shares of the row (`true`), the column (`pred`) or the total
 * (`all`).
 *
 * Source: scikit-learn 1.9.1, `confusion_matrix`.
 */
export const confusionMatrixAggregation = defineAggregation({
  id: 'confusion_matrix',
  of: 'folded',
  args: z.object({
    labels: z.array(label).min(1).optional(),
    normalize: z.union([z.enum(['true', 'pred', 'all']), z.literal(true).transform(() => 'true' as const)]).optional(),
  }),
  start: ({ labels, normalize }) =>
    classFold(confusion => {
      const table = matrixOf(confusion, { ...(labels && { labels }), ...(normalize && { normalize }) })
      return { ...bare(null), note: JSON.stringify({ labels: labels ?? confusion.labels(), table }) }
    }),
})

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The share of correct docs has the interval of a mean, unless docs have weights. */
function accuracyFold(): Fold {
  const numbers = growingColumn()
  return withPairInterval(classFold(computeAccuracy), {
    see: ({ gold, answer }) => numbers.push(answer !== null && isSameLabel(gold, answer) ? 1 : 0),
    addInterval: ({ value }, clusters) => ({ ...summariseWith(numbers.values(), clusters, [0, 1]), value }),
  })
}

/**
 * The recall of a rare class whose docs are all right has a variance here, which the bootstrap does not see: with 5 docs of 100 in
 * the rare class its interval covered 80 %.
 */
function balancedFold(): Fold {
  const confusion = newConfusion()
  return withPairInterval(classFold(computeBalancedAccuracy), {
    see: ({ gold, answer, weight }) => confusion.add(gold, answer, weight),
    addInterval(summary, clusters) {
      const { value } = summary
      if (clusters !== undefined || value === null || confusion.total < 2) return summary
      const golds = confusion.labels().filter(label => confusion.golds(label) > 0)
      const recalls = golds.map(label => ({ docs: confusion.golds(label), hits: confusion.count(label, label) }))
      const weight = 1 / recalls.length
      const parts = recalls.map(({ docs, hits }) => ({
        ...{ weight, value: hits / docs, interval: wilson(hits, docs), wilsonRange: [0, 1] as const },
      }))
      const variance = sum(recalls.map(({ docs, hits }) => ((hits / docs) * (1 - hits / docs)) / Math.max(1, docs - 1)))
      return {
        ...summary,
        stderr: weight * Math.sqrt(variance),
        interval: groupInterval(parts, value).interval,
        intervalMethod: 'wilson',
      }
    },
  })
}

/** The share of correct docs. */
export const computeAccuracy = ({ right, total }: Confusion): number => right / total

/**
 * The mean recall of the classes that occur as gold class.
 *
 * Source: scikit-learn 1.9.1, `balanced_accuracy_score`; Brodersen et al. 2010, The balanced accuracy and its
 * posterior distribution.
 */
export function computeBalancedAccuracy(confusion: Confusion): number {
  const golds = confusion.labels().filter(label => confusion.golds(label) > 0)
  return sum(golds.map(label => confusion.count(label, label) / confusion.golds(label))) / golds.length
}

/**
 * Matthews' correlation coefficient for any number of classes: −1 to 1, and 0 if either side has a single class.
 *
 * Source: scikit-learn 1.9.1, `matthews_corrcoef`; Gorodkin 2004, Comparing two K-category assignments by a
 * K-category correlation coefficient.
 */
export function matthewsCorrelation(confusion: Confusion): number {
  const labels = confusion.labels()
  const golds = labels.map(label => confusion.golds(label))
  const predictions = labels.map(label => confusion.predictions(label))
  const dot = (a: readonly number[], b: readonly number[]): number => sum(a.map((value, i) => value * (b[i] ?? 0)))
  const total = confusion.total
  const together = confusion.right * total - dot(golds, predictions)
  const spread = (total ** 2 - dot(predictions, predictions)) * (total ** 2 - dot(golds, golds))
  return spread === 0 ? 0 : together / Math.sqrt(spread)
}

type KappaWeights = 'linear' | 'quadratic' | 'none'

/**
 * Cohen's kappa: the agreement beyond what the class frequencies explain; 1 is perfect, 0 is chance. With weights,
 * neighbouring classes disagree less. NaN if there is only one class.
 *
 * Source: scikit-learn 1.9.1, `cohen_kappa_score`; Cohen 1960, A coefficient of agreement for nominal scales.
 */
export function computeCohenKappa(confusion: Confusion, weights: KappaWeights = 'none'): number {
  const table = confusionMatrix(confusion)
  const rows = table.map(sum)
  const columns = table.map((_, j) => sum(table.map(row => row[j] ?? 0)))
  const total = sum(rows)
  const computeWeight = (i: number, j: number): number => {
    if (weights === 'none') return i === j ? 0 : 1
    return weights === 'linear' ? Math.abs(i - j) : (i - j) ** 2
  }
  let observed = 0
  let expected = 0
  table.forEach((row, i) => {
    row.forEach((count, j) => {
      observed += computeWeight(i, j) * count
      expected += (computeWeight(i, j) * (rows[i] ?? 0) * (columns[j] ?? 0)) / total
    })
  })
  return 1 - observed / expected
}
