/**
 * Precision, recall and F of classes, and their averages.
 *
 * Source: scikit-learn 1.9.1, `precision_recall_fscore_support`, `f1_score`, `fbeta_score`, `jaccard_score`; van Rijsbergen 1979,
 * Information Retrieval, chapter 7.
 */
import { isSameLabel, type Confusion, type Label } from './confusion.js'

export type Average = 'binary' | 'macro' | 'micro' | 'weighted'

export type RateName = 'precision' | 'recall' | 'f' | 'jaccard'

/** Arguments that select classes, and the value of a rate with a denominator of 0. */
export interface ClassOptions {
  readonly average: Average
  /** The positive class for `average: binary`. */
  readonly pos_label: Label
  /** The classes that are averaged. @default the classes that occur */
  readonly labels?: readonly Label[] | undefined
  readonly zero_division: number
}

interface ClassRates {
  readonly precision: number
  readonly recall: number
  readonly f: number
  readonly jaccard: number
  /** The number of docs with this gold class. */
  readonly support: number
}

interface ClassCounts {
  readonly right: number
  readonly predicted: number
  readonly gold: number
}

/** The rates of each class. `beta` is how many times more recall counts than precision. */
export const ratesByClass = (
  confusion: Confusion,
  {
    labels = confusion.labels(),
    beta = 1,
    zero_division: zero,
  }: Pick<ClassOptions, 'labels' | 'zero_division'> & { readonly beta?: number },
): readonly ClassRates[] => labels.map(label => computeRates(countClass(confusion, label), beta, zero))

const countClass = (confusion: Confusion, label: Label): ClassCounts => ({
  right: confusion.count(label, label),
  predicted: confusion.predictions(label),
  gold: confusion.golds(label),
})

function computeRates({ right, predicted, gold }: ClassCounts, beta: number, zero: number): ClassRates {
  const share = (part: number, whole: number): number => (whole === 0 ? zero : part / whole)
  const square = beta ** 2
  return {
    precision: share(right, predicted),
    recall: share(right, gold),
    f: beta === Infinity ? share(right, gold) : share((1 + square) * right, square * gold + predicted),
    jaccard: share(right, gold + predicted - right),
    support: gold,
  }
}

/**
 * One rate over classes. `binary` is that of the class `pos_label`, `macro` the mean over classes, `weighted` the
 * mean weighted by support. `micro` is the rate of the summed counts. Rates that are NaN (`zero_division`) are left
 * out of a mean.
 *
 * @throws RangeError if `binary` gets more than two classes, or classes without `pos_label`.
 */
export function averageRate(
  confusion: Confusion,
  rate: RateName,
  { average, beta = 1, ...options }: ClassOptions & { readonly beta?: number },
): number {
  const { labels = confusion.labels(), zero_division: zero } = options
  if (average === 'binary')
    return computeRates(countClass(confusion, checkPositive(confusion, options.pos_label)), beta, zero)[rate]
  if (average === 'micro') {
    const counts = labels.map(label => countClass(confusion, label))
    const sum = (key: keyof ClassCounts): number => counts.reduce((total, classCounts) => total + classCounts[key], 0)
    return computeRates({ right: sum('right'), predicted: sum('predicted'), gold: sum('gold') }, beta, zero)[rate]
  }
  const rates = ratesByClass(confusion, { labels, beta, zero_division: zero })
  return weightedMean(
    rates.map(classRates => ({ value: classRates[rate], weight: average === 'macro' ? 1 : classRates.support })),
  )
}

function checkPositive(confusion: Confusion, positive: Label): Label {
  const labels = confusion.labels()
  if (labels.length > 2) {
    throw new RangeError(
      `there are ${labels.length} classes (${labels.slice(0, 5).join(', ')}…), and average: binary knows two. ` +
        'Set average to macro, micro or weighted',
    )
  }
  if (labels.length === 2 && !labels.some(label => isSameLabel(label, positive))) {
    throw new RangeError(`pos_label ${positive} is none of the classes ${labels.join(' and ')}`)
  }
  return positive
}

/** The weighted mean without NaN values. If all weights are 0, it is unweighted. */
function weightedMean(values: readonly { readonly value: number; readonly weight: number }[]): number {
  const definedValues = values.filter(({ value }) => !Number.isNaN(value))
  const total = definedValues.reduce((sum, { weight }) => sum + weight, 0)
  if (total === 0) return definedValues.reduce((sum, { value }) => sum + value, 0) / definedValues.length
  return definedValues.reduce((sum, { value, weight }) => sum + value * weight, 0) / total
}
