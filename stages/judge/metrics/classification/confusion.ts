import { pythonText } from '../../../../base/python/python-text.js'
import { addCount } from '../../../../base/collections/counts.js'

/** A class label. Labels are compared by their text. */
export type Label = string | number | boolean

/** A confusion matrix that is filled doc by doc. Its size grows with the number of different pairs only. */
export interface Confusion {
  /**
   * Counts one doc. A prediction of `null` is an unparsed answer: a miss of the gold class, and not a class of its
   * own.
   */
  add(gold: Label, predicted: Label | null, weight?: number): void
  /** All classes that occurred: numbers by size, else texts by code points. */
  labels(): readonly Label[]
  /** The number of docs with this pair. */
  count(gold: Label, predicted: Label): number
  /** The number of docs with this gold class. */
  golds(label: Label): number
  /** The number of docs with this prediction. */
  predictions(label: Label): number
  readonly total: number
  /** The number of correct docs. */
  readonly right: number
}

/** Creates an empty confusion matrix. Labels are compared as texts: 1 and "1" are the same class. */
export function newConfusion(): Confusion {
  const labels = new Map<string, Label>()
  const cells = new Map<string, Map<string, number>>()
  const golds = new Map<string, number>()
  const predictions = new Map<string, number>()
  let total = 0
  let right = 0
  const registerLabel = (label: Label): string => {
    const name = String(typeof label === 'boolean' ? Number(label) : label)
    if (!labels.has(name)) labels.set(name, label)
    return name
  }
  // Targets of a Boolean column are the texts True and False.
  const knownAs = (label: Label): string => (labels.has(formatLabel(label)) ? formatLabel(label) : pythonText(label))
  return {
    add(gold, predicted, weight = 1) {
      const goldName = registerLabel(gold)
      total += weight
      addCount(golds, goldName, weight)
      if (predicted === null) return
      const name = registerLabel(predicted)
      addCount(predictions, name, weight)
      const row = cells.get(goldName) ?? new Map<string, number>()
      cells.set(goldName, row)
      addCount(row, name, weight)
      if (name === goldName) right += weight
    },
    labels: () =>
      [...labels.values()].sort(labels.size > 0 && [...labels.values()].every(isNumber) ? bySize : byCodePoint),
    count: (gold, predicted) => cells.get(knownAs(gold))?.get(knownAs(predicted)) ?? 0,
    golds: label => golds.get(knownAs(label)) ?? 0,
    predictions: label => predictions.get(knownAs(label)) ?? 0,
    get total() {
      return total
    },
    get right() {
      return right
    },
  }
}

const formatLabel = (label: Label): string => String(typeof label === 'boolean' ? Number(label) : label)
const isNumber = (label: Label): boolean => typeof label !== 'string'
const bySize = (a: Label, b: Label): number => Number(a) - Number(b)

/**
 * Sorts texts by code points like Python. Sorting by UTF-16 units would put characters beyond U+FFFF before some
 * others.
 */
function byCodePoint(a: Label, b: Label): number {
  const [left, right] = [Array.from(String(a)), Array.from(String(b))]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

export const isSameLabel = (a: Label, b: Label): boolean =>
  formatLabel(a) === formatLabel(b) || pythonText(a) === pythonText(b)

export type Normalisation = 'true' | 'pred' | 'all'

/**
 * Counts by gold class (rows) and predicted class (columns), in the order of `labels` or of {@link
 * Confusion.labels}. With `normalize` they are shares of the row, the column or the total.
 *
 * Source: scikit-learn 1.9.1, `confusion_matrix`.
 *
 * @throws RangeError if none of `labels` is a gold class.
 */
export function confusionMatrix(
  confusion: Confusion,
  {
    labels = confusion.labels(),
    normalize,
  }: { readonly labels?: readonly Label[]; readonly normalize?: Normalisation } = {},
): readonly (readonly number[])[] {
  if (labels.every(label => confusion.golds(label) === 0)) throw new RangeError('none of the labels is a target')
  const counts = labels.map(gold => labels.map(predicted => confusion.count(gold, predicted)))
  if (normalize === undefined) return counts
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  const rows = counts.map(sum)
  const columns = labels.map((_, j) => sum(counts.map(row => row[j] ?? 0)))
  const grandTotal = sum(rows)
  const whole = (i: number, j: number): number =>
    (normalize === 'true' ? rows[i] : normalize === 'pred' ? columns[j] : grandTotal) ?? 0
  return counts.map((row, i) => row.map((count, j) => (whole(i, j) === 0 ? 0 : count / whole(i, j))))
}
