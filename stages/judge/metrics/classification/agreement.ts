/** Numbers of the whole table of gold and predicted classes. */
import { confusionMatrix, type Confusion } from './confusion.js'

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The share of right ones. */
export const accuracyOf = ({ right, total }: Confusion): number => right / total

/**
 * The mean recall of the classes that are gold at least once.
 *
 * Source: scikit-learn 1.9.1, `balanced_accuracy_score`; Brodersen et al. 2010, The balanced accuracy and its posterior distribution.
 */
export function balancedAccuracy(confusion: Confusion): number {
  const golds = confusion.labels().filter(label => confusion.golds(label) > 0)
  return sum(golds.map(label => confusion.count(label, label) / confusion.golds(label))) / golds.length
}

/**
 * Matthews' correlation coefficient, for any number of classes: −1 to 1, 0 where either side has a single class.
 *
 * Source: scikit-learn 1.9.1, `matthews_corrcoef`; Gorodkin 2004, Comparing two K-category assignments by a K-category correlation
 * coefficient.
 */
export function matthewsCorrelation(confusion: Confusion): number {
  const labels = confusion.labels()
  const golds = labels.map(label => confusion.golds(label))
  const predictions = labels.map(label => confusion.predictions(label))
  const dot = (a: readonly number[], b: readonly number[]): number => sum(a.map((value, i) => value * (b[i] ?? 0)))
  const all = confusion.total
  const together = confusion.right * all - dot(golds, predictions)
  const spread = (all ** 2 - dot(predictions, predictions)) * (all ** 2 - dot(golds, golds))
  return spread === 0 ? 0 : together / Math.sqrt(spread)
}

export type KappaWeights = 'linear' | 'quadratic' | 'none'

/**
 * Cohen's kappa: agreement beyond what the frequencies of classes alone would give; 1 is perfect, 0 is chance. Weighted, classes that stand
 * next to each other in their order disagree less. NaN where there is one class only.
 *
 * Source: scikit-learn 1.9.1, `cohen_kappa_score`; Cohen 1960, A coefficient of agreement for nominal scales.
 */
export function cohenKappa(confusion: Confusion, weights: KappaWeights = 'none'): number {
  const table = confusionMatrix(confusion)
  const rows = table.map(sum)
  const columns = table.map((_, j) => sum(table.map(row => row[j] ?? 0)))
  const all = sum(rows)
  const weightOf = (i: number, j: number): number => {
    if (weights === 'none') return i === j ? 0 : 1
    return weights === 'linear' ? Math.abs(i - j) : (i - j) ** 2
  }
  let seen = 0
  let expected = 0
  table.forEach((row, i) => {
    row.forEach((count, j) => {
      seen += weightOf(i, j) * count
      expected += (weightOf(i, j) * (rows[i] ?? 0) * (columns[j] ?? 0)) / all
    })
  })
  return 1 - seen / expected
}
