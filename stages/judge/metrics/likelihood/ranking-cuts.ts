/** Docs in the order of their scores, and how many of them are positive down to each score. */

/** A doc with its score for the class. */
export interface Ranked {
  readonly isPositive: boolean
  readonly score: number
}

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
 * Sorts docs once, and returns a function that counts cuts. Its result is overwritten by the next call; its argument is how
 * often each doc counts, once by default.
 *
 * @param docs the number of each doc, by which its weight is found. @default its place
 */
export function prepareCuts(
  ranked: readonly Ranked[],
  docs?: readonly number[],
): (weights?: ArrayLike<number>) => Cuts {
  const order = Uint32Array.from(ranked.keys()).sort((a, b) => (ranked[b]?.score ?? 0) - (ranked[a]?.score ?? 0))
  const doc = order.map(at => docs?.[at] ?? at)
  const isPositive = Uint8Array.from(order, at => Number(ranked[at]?.isPositive ?? false))
  const isLast = Uint8Array.from(order, (at, i) => Number(ranked[order[i + 1] ?? -1]?.score !== ranked[at]?.score))
  const [upTo, against] = [new Float64Array(order.length + 1), new Float64Array(order.length + 1)]
  return weights => {
    let count = 1
    let [positives, negatives, before] = [0, 0, 0]
    for (let i = 0; i < order.length; i++) {
      const weight = weights === undefined ? 1 : (weights[doc[i] ?? 0] ?? 0)
      if (isPositive[i] === 1) positives += weight
      else negatives += weight
      // A score that no doc of a resample has is no cut.
      if (isLast[i] === 0 || positives + negatives === before) continue
      before = positives + negatives
      upTo[count] = positives
      against[count] = negatives
      count += 1
    }
    return { count, positives: upTo, negatives: against }
  }
}

/**
 * Computes the area under the ROC curve, 0 to 1: the probability that a positive doc has a higher score than a negative
 * one; ties count half. With `maxRate` it covers false positive rates up to that, standardised so that chance is 0.5
 * (McClish 1989). NaN if all docs are positive or all negative.
 *
 * Source: scikit-learn 1.9.1, `roc_auc_score`; Fawcett 2006, An introduction to ROC analysis.
 */
export function computeArea({ count, positives, negatives }: Cuts, maxRate = 1): number {
  const [allPositives, allNegatives] = [positives[count - 1] ?? 0, negatives[count - 1] ?? 0]
  if (allPositives === 0 || allNegatives === 0) return NaN
  let area = 0
  let [fromX, fromY] = [0, 0]
  for (let i = 1; i < count && fromX < maxRate; i++) {
    const [toX, toY] = [(negatives[i] ?? 0) / allNegatives, (positives[i] ?? 0) / allPositives]
    const x = Math.min(toX, maxRate)
    const y = toX <= maxRate ? toY : fromY + ((toY - fromY) * (x - fromX)) / (toX - fromX)
    area += ((x - fromX) * (fromY + y)) / 2
    fromX = toX
    fromY = toY
  }
  if (maxRate === 1) return area
  const least = maxRate ** 2 / 2
  return (1 + (area - least) / (maxRate - least)) / 2
}

/**
 * Computes the mean over the positive docs of the precision at their score, 0 to 1; 0 if there are none.
 *
 * Source: scikit-learn 1.9.1, `average_precision_score`.
 */
export function computePrecision({ count, positives, negatives }: Cuts): number {
  const all = positives[count - 1] ?? 0
  if (all === 0) return 0
  let sum = 0
  for (let i = 1; i < count; i++) {
    const [right, wrong] = [positives[i] ?? 0, negatives[i] ?? 0]
    const gained = right - (positives[i - 1] ?? 0)
    if (gained > 0) sum += (gained / all) * (right / (right + wrong))
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
 * Sorts docs for each class once, and returns a function of the docs' weights that computes the area for several
 * classes: of each class against all others (`ovr`), or of each pair of classes among their docs (`ovo`). With
 * `weighted`, classes or pairs are weighted by their number of docs.
 *
 * Source: scikit-learn 1.9.1, `roc_auc_score`; Hand and Till 2001, A simple generalisation of the area under the
 * ROC curve.
 */
export function prepareAreas(
  docs: readonly ClassScores[],
  { multi_class: form, average }: AreaRule,
): (weights?: ArrayLike<number>) => number {
  const classes = Array.from(docs[0]?.scores ?? [], (_, i) => i)
  const prepareClass = (one: number, among: readonly number[]) =>
    prepareCuts(
      among.map(doc => ({ isPositive: docs[doc]?.gold === one, score: docs[doc]?.scores[one] ?? NaN })),
      among,
    )
  const all = Array.from(docs.keys())
  const pairs = classes.flatMap(a => classes.slice(a + 1).map(b => [a, b] as const))
  const parts =
    form === 'ovr'
      ? classes.map(one => [prepareClass(one, all)])
      : pairs.map(pair => {
          const among = all.filter(doc => pair.includes(docs[doc]?.gold ?? -1))
          return pair.map(one => prepareClass(one, among))
        })
  return weights => {
    let [sum, total] = [0, 0]
    for (const part of parts) {
      let [area, size] = [0, 0]
      for (const count of part) {
        const cuts = count(weights)
        const last = cuts.count - 1
        area += computeArea(cuts) / part.length
        size = (cuts.positives[last] ?? 0) + (form === 'ovo' ? (cuts.negatives[last] ?? 0) : 0)
      }
      const weight = average === 'macro' ? 1 : size
      sum += area * weight
      total += weight
    }
    return sum / total
  }
}
