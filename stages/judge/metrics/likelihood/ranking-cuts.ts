/** Docs in the order of their scores, and how many of them are positive down to each score. */

/** A doc with its score for the class. */
export interface Ranked {
  readonly isPositive: boolean
  readonly score: number
}

/** Docs in the order of their scores, from the highest. */
export interface SortedDocs {
  /** The number of each doc. */
  readonly order: Uint32Array
  /** 1 for each positive doc, else 0. */
  readonly isPositive: Uint8Array
  /** 1 for the last doc of each score, else 0. */
  readonly isLast: Uint8Array
}

/** Sorts docs by their scores. */
export function sortDocs(ranked: readonly Ranked[]): SortedDocs {
  const scores = Float64Array.from(ranked, ({ score }) => score)
  const order = Uint32Array.from(ranked.keys()).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
  return {
    order,
    isPositive: Uint8Array.from(order, at => Number(ranked[at]?.isPositive ?? false)),
    isLast: Uint8Array.from(order, (at, i) => Number(scores[order[i + 1] ?? -1] !== scores[at])),
  }
}

/** A number of ranked docs as a function of how often the docs of each unit count, once by default. */
export type CountedNumber = (counts?: Float64Array) => number

/**
 * The numbers of positive and negative docs down to each distinct score, from the highest. The first of the `count`
 * entries is 0 and 0.
 */
export interface Cuts {
  readonly count: number
  readonly positives: Float64Array
  readonly negatives: Float64Array
}

/**
 * Returns a function that counts cuts in one pass over sorted docs. Its result is overwritten by the next call; its
 * argument is how often the docs of each unit count, once by default.
 *
 * @param units the unit of each doc. @default the doc itself
 */
export function prepareCuts(
  { order, isPositive, isLast }: SortedDocs,
  units?: ArrayLike<number>,
): (counts?: Float64Array) => Cuts {
  const unit = order.map(doc => units?.[doc] ?? doc)
  const [upTo, against] = [new Float64Array(order.length + 1), new Float64Array(order.length + 1)]
  return counts => {
    let [count, positives, negatives] = [1, 0, 0]
    // No branch of the loop depends on the docs, because a processor cannot predict it.
    for (let i = 0; i < unit.length; i++) {
      const times = counts === undefined ? 1 : (counts[unit[i] ?? 0] ?? 0)
      const gained = times * (isPositive[i] ?? 0)
      positives += gained
      negatives += times - gained
      upTo[count] = positives
      against[count] = negatives
      count += isLast[i] ?? 0
    }
    return { count, positives: upTo, negatives: against }
  }
}

/**
 * Prepares the area under the ROC curve, 0 to 1: the probability that a positive doc has a higher score than a negative
 * one; ties count half. With `maxRate` it covers false positive rates up to that, standardised so that chance is 0.5
 * (McClish 1989). NaN if all docs are positive or all negative.
 *
 * Source: scikit-learn 1.9.1, `roc_auc_score`; Fawcett 2006, An introduction to ROC analysis.
 *
 * @param units the unit of each doc. @default the doc itself
 */
export function prepareArea(
  sorted: SortedDocs,
  {
    maxRate = 1,
    units,
  }: { readonly maxRate?: number | undefined; readonly units?: ArrayLike<number> | undefined } = {},
): CountedNumber {
  if (maxRate === 1) {
    const countPairs = preparePairs(sorted, units)
    return counts => {
      const { positives, negatives, ordered } = countPairs(counts)
      return ordered / positives / negatives
    }
  }
  const countCuts = prepareCuts(sorted, units)
  return counts => computePartialArea(countCuts(counts), maxRate)
}

/** The numbers of positive and negative docs, and of the pairs of both in which the positive doc has the higher score. */
interface Pairs {
  readonly positives: number
  readonly negatives: number
  /** Ties count half. */
  readonly ordered: number
}

/** Counts pairs in one pass without a list of cuts. The numbers are exact for up to 130 million docs. */
function preparePairs(
  { order, isPositive, isLast }: SortedDocs,
  units?: ArrayLike<number>,
): (counts?: Float64Array) => Pairs {
  const unit = order.map(doc => units?.[doc] ?? doc)
  return counts => {
    let [positives, negatives, twice] = [0, 0, 0]
    let [positivesAbove, negativesAbove] = [0, 0]
    // No branch of the loop depends on the docs, because a processor cannot predict it.
    for (let i = 0; i < unit.length; i++) {
      const times = counts === undefined ? 1 : (counts[unit[i] ?? 0] ?? 0)
      const gained = times * (isPositive[i] ?? 0)
      positives += gained
      negatives += times - gained
      const last = isLast[i] ?? 0
      const against = last * (negatives - negativesAbove)
      twice += against * (positivesAbove + positives)
      negativesAbove += against
      positivesAbove += last * (positives - positivesAbove)
    }
    return { positives, negatives, ordered: twice / 2 }
  }
}

function computePartialArea({ count, positives, negatives }: Cuts, maxRate: number): number {
  const [allPositives, allNegatives] = [positives[count - 1] ?? 0, negatives[count - 1] ?? 0]
  if (allPositives === 0 || allNegatives === 0) return NaN
  let area = 0
  let [fromX, fromY] = [0, 0]
  for (let i = 1; i < count && fromX < maxRate; i++) {
    const toX = (negatives[i] ?? 0) / allNegatives
    const toY = (positives[i] ?? 0) / allPositives
    const x = Math.min(toX, maxRate)
    const y = toX <= maxRate ? toY : fromY + ((toY - fromY) * (x - fromX)) / (toX - fromX)
    area += ((x - fromX) * (fromY + y)) / 2
    fromX = toX
    fromY = toY
  }
  const least = maxRate ** 2 / 2
  return (1 + (area - least) / (maxRate - least)) / 2
}

/**
 * Computes the mean over the positive docs of the precision at their score, 0 to 1; 0 if there are none.
 *
 * Source: scikit-learn 1.9.1, `average_precision_score`.
 */
export function computePrecision({ count, positives, negatives }: Cuts): number {
  const allPositives = positives[count - 1] ?? 0
  if (allPositives === 0) return 0
  let sum = 0
  for (let i = 1; i < count; i++) {
    const [right, wrong] = [positives[i] ?? 0, negatives[i] ?? 0]
    const gained = right - (positives[i - 1] ?? 0)
    if (gained > 0) sum += (gained / allPositives) * (right / (right + wrong))
  }
  return sum
}

/** A doc with a score for each class. */
export interface ClassScores {
  /** The index of the doc's class. */
  readonly gold: number
  readonly scores: readonly number[]
}

/** The rule by which areas of several classes are combined. */
export interface AreaRule {
  readonly multi_class: 'ovr' | 'ovo'
  readonly average: 'macro' | 'weighted'
}

/**
 * Sorts docs for each class once, and returns a function that computes the area for several classes from how often the
 * docs of each unit count: of each class against all others (`ovr`), or of each pair of classes among their docs (`ovo`). With
 * `weighted`, classes or pairs are weighted by their number of docs.
 *
 * Source: scikit-learn 1.9.1, `roc_auc_score`; Hand and Till 2001, A simple generalisation of the area under the
 * ROC curve.
 *
 * @param units the unit of each doc. @default the doc itself
 */
export function prepareAreas(
  docs: readonly ClassScores[],
  { multi_class: form, average }: AreaRule,
  units?: ArrayLike<number>,
): CountedNumber {
  const classes = Array.from(docs[0]?.scores ?? [], (_, i) => i)
  const prepareClass = (classIndex: number, among: readonly number[]) =>
    preparePairs(
      sortDocs(
        among.map(doc => ({ isPositive: docs[doc]?.gold === classIndex, score: docs[doc]?.scores[classIndex] ?? NaN })),
      ),
      among.map(doc => units?.[doc] ?? doc),
    )
  const allDocs = Array.from(docs.keys())
  const pairs = classes.flatMap(a => classes.slice(a + 1).map(b => [a, b] as const))
  const parts =
    form === 'ovr'
      ? classes.map(classIndex => [prepareClass(classIndex, allDocs)])
      : pairs.map(pair => {
          const among = allDocs.filter(doc => pair.includes(docs[doc]?.gold ?? -1))
          return pair.map(classIndex => prepareClass(classIndex, among))
        })
  return counts => {
    let [sum, total] = [0, 0]
    for (const part of parts) {
      let [area, size] = [0, 0]
      for (const countPairs of part) {
        const { positives, negatives, ordered } = countPairs(counts)
        area += ordered / positives / negatives / part.length
        size = positives + (form === 'ovo' ? negatives : 0)
      }
      const weight = average === 'macro' ? 1 : size
      sum += area * weight
      total += weight
    }
    return sum / total
  }
}
