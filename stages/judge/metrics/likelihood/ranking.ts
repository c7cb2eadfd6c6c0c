/**
 * The aggregations `roc_auc` and `average_precision`, which measure how well scores rank the docs of a class before
 * the others.
 */
import { z } from 'zod'
import { growingColumn } from '../../../../base/collections/growing-column.js'
import { defineAggregation, type Fold } from '../../define/define-aggregation.js'
import { finite, label } from '../classification/classes.js'
import { isSameLabel, type Label } from '../classification/confusion.js'

/**
 * The area under the ROC curve, 0 to 1, from `[class, score]` or `[index of the class, score of each class]`. For
 * the latter, `multi_class` compares each class with the rest (`ovr`) or with each other class (`ovo`). The value
 * is null if all docs have the same class.
 *
 * Source: scikit-learn 1.9.1, `roc_auc_score`.
 */
export const rocAucAggregation = defineAggregation({
  id: 'roc_auc',
  of: 'folded',
  args: z.object({
    pos_label: label.default(1),
    max_fpr: z.number().gt(0).max(1).default(1),
    multi_class: z.enum(['ovr', 'ovo']).optional(),
    average: z.enum(['macro', 'weighted']).default('macro'),
  }),
  start: ({ pos_label: positive, max_fpr: maxRate, multi_class: form, average }) =>
    rankingFold({
      positive,
      ofTwo: docs => rocAuc(docs, maxRate),
      ofSeveral(docs) {
        if (form === undefined) throw new Error('there are more than two classes: set multi_class to ovr or ovo')
        return rocAucOfClasses(docs, { multi_class: form, average })
      },
    }),
})

/**
 * The mean of the precision at the score of each positive doc, 0 to 1, from `[class, score]`.
 * Source: scikit-learn 1.9.1, `average_precision_score`.
 */
export const averagePrecisionAggregation = defineAggregation({
  id: 'average_precision',
  of: 'folded',
  args: z.object({ pos_label: label.default(1) }),
  start: ({ pos_label: positive }) => rankingFold({ positive, ofTwo: averagePrecision }),
})

const scoredDoc = z.tuple([label, z.union([z.number(), z.array(z.number()).min(2)])])

/**
 * How the number is computed: for two classes from the scores of a class's docs and the others, for more from all
 * scores.
 */
interface RankingRule {
  readonly positive: Label
  readonly ofTwo: (docs: readonly Ranked[]) => number
  readonly ofSeveral?: (docs: readonly ClassScores[]) => number
}

/**
 * Keeps `[class, score]` in sixteen bytes, or `[index of the class, score of each class]`. For two classes the
 * second score counts.
 */
function rankingFold({ positive, ofTwo, ofSeveral }: RankingRule): Fold {
  const classes = growingColumn()
  const scores = growingColumn()
  const rows: ClassScores[] = []
  return {
    add(value) {
      const parsed = scoredDoc.safeParse(value)
      if (!parsed.success) throw new Error(`it takes [class, score(s)], not ${JSON.stringify(value).slice(0, 200)}`)
      const [gold, given] = parsed.data
      if (typeof given !== 'number' && given.length > 2) {
        if (typeof gold !== 'number') throw new Error(`with ${given.length} scores the class is an index, not ${gold}`)
        rows.push({ gold, scores: given })
        return
      }
      classes.push(isSameLabel(gold, positive) ? 1 : 0)
      scores.push(typeof given === 'number' ? given : (given[1] ?? NaN))
    },
    finish() {
      if (rows.length === 0) {
        const golds = classes.values()
        return finite(ofTwo(Array.from(scores.values(), (score, i) => ({ isPositive: golds[i] === 1, score }))))
      }
      if (ofSeveral === undefined) throw new Error('it knows two classes, and there are more')
      return finite(ofSeveral(rows))
    },
  }
}

/** A doc with its score for the class. */
interface Ranked {
  readonly isPositive: boolean
  readonly score: number
}

/**
 * The numbers of positive and negative docs down to each distinct score, from the highest; the first entry is 0 and
 * 0.
 */
function cutsOf(docs: readonly Ranked[]): readonly { readonly positives: number; readonly negatives: number }[] {
  const sorted = docs.toSorted((a, b) => b.score - a.score)
  const cuts = [{ positives: 0, negatives: 0 }]
  let positives = 0
  let negatives = 0
  sorted.forEach(({ isPositive, score }, i) => {
    if (isPositive) positives += 1
    else negatives += 1
    if (sorted[i + 1]?.score !== score) cuts.push({ positives, negatives })
  })
  return cuts
}

/**
 * The area under the ROC curve, 0 to 1: the probability that a positive doc has a higher score than a negative one;
 * ties count half. With `maxRate` it covers false positive rates up to that, standardised so that chance is 0.5
 * (McClish 1989). NaN if all docs are positive or all negative.
 *
 * Source: scikit-learn 1.9.1, `roc_auc_score`; Fawcett 2006, An introduction to ROC analysis.
 */
export function rocAuc(docs: readonly Ranked[], maxRate = 1): number {
  const cuts = cutsOf(docs)
  const last = cuts.at(-1) ?? { positives: 0, negatives: 0 }
  if (last.positives === 0 || last.negatives === 0) return NaN
  const points = cuts.map(cut => ({ x: cut.negatives / last.negatives, y: cut.positives / last.positives }))
  let area = 0
  for (let i = 1; i < points.length; i++) {
    const [from, to] = [points[i - 1], points[i]]
    if (from === undefined || to === undefined || from.x >= maxRate) break
    const x = Math.min(to.x, maxRate)
    const y = to.x <= maxRate ? to.y : from.y + ((to.y - from.y) * (x - from.x)) / (to.x - from.x)
    area += ((x - from.x) * (from.y + y)) / 2
  }
  if (maxRate === 1) return area
  const least = maxRate ** 2 / 2
  return (1 + (area - least) / (maxRate - least)) / 2
}

/**
 * The mean over the positive docs of the precision at their score, 0 to 1; 0 if there are none.
 *
 * Source: scikit-learn 1.9.1, `average_precision_score`.
 */
export function averagePrecision(docs: readonly Ranked[]): number {
  const cuts = cutsOf(docs)
  const all = cuts.at(-1)?.positives ?? 0
  if (all === 0) return 0
  return cuts.reduce((sum, { positives, negatives }, i) => {
    const gained = positives - (cuts[i - 1]?.positives ?? 0)
    return gained === 0 ? sum : sum + (gained / all) * (positives / (positives + negatives))
  }, 0)
}

/** A doc with a score for each class. */
interface ClassScores {
  /** The index of the doc's class. */
  readonly gold: number
  readonly scores: readonly number[]
}

/**
 * The area for several classes: of each class against all others (`ovr`), or of each pair of classes among their
 * docs (`ovo`). With `weighted`, classes or pairs are weighted by their number of docs.
 *
 * Source: scikit-learn 1.9.1, `roc_auc_score`; Hand and Till 2001, A simple generalisation of the area under the
 * ROC curve.
 */
export function rocAucOfClasses(
  docs: readonly ClassScores[],
  { multi_class: form, average }: { readonly multi_class: 'ovr' | 'ovo'; readonly average: 'macro' | 'weighted' },
): number {
  const classes = Array.from(docs[0]?.scores ?? [], (_, i) => i)
  const ranked = (among: readonly ClassScores[], one: number): readonly Ranked[] =>
    among.map(({ gold, scores }) => ({ isPositive: gold === one, score: scores[one] ?? NaN }))
  const areas =
    form === 'ovr'
      ? classes.map(one => ({ area: rocAuc(ranked(docs, one)), docs: docs.filter(({ gold }) => gold === one).length }))
      : classes.flatMap(a =>
          classes.slice(a + 1).map(b => {
            const among = docs.filter(({ gold }) => gold === a || gold === b)
            return { area: (rocAuc(ranked(among, a)) + rocAuc(ranked(among, b))) / 2, docs: among.length }
          }),
        )
  const weightOf = (one: { readonly docs: number }): number => (average === 'macro' ? 1 : one.docs)
  const total = areas.reduce((sum, one) => sum + weightOf(one), 0)
  return areas.reduce((sum, one) => sum + one.area * weightOf(one), 0) / total
}
