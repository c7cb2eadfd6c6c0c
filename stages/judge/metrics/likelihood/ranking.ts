/**
 * The aggregations `roc_auc` and `average_precision`, which measure how well scores rank the docs of a class before
 * the others.
 */
import { z } from 'zod'
import { growingColumn, type GrowingColumn } from '../../../../base/collections/growing-column.js'
import { defineAggregation, type Fold } from '../../define/define-aggregation.js'
import { collectTerms } from '../../statistics/resampling/doc-terms.js'
import { finite, label } from '../classification/classes.js'
import { isSameLabel, type Label } from '../classification/confusion.js'
import {
  computeArea,
  computePrecision,
  prepareAreas,
  prepareCuts,
  type ClassScores,
  type Cuts,
  type Ranked,
} from './ranking-cuts.js'

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
      ofTwo: cuts => computeArea(cuts, maxRate),
      ofSeveral(docs) {
        if (form === undefined) throw new Error('there are more than two classes: set multi_class to ovr or ovo')
        return prepareAreas(docs, { multi_class: form, average })
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
  start: ({ pos_label: positive }) => rankingFold({ positive, ofTwo: computePrecision }),
})

const scoredDoc = z.tuple([label, z.union([z.number(), z.array(z.number()).min(2)])])

/**
 * The rule that computes the number: for two classes from the scores of a class's docs and the others, for more from
 * all scores.
 */
interface RankingRule {
  readonly positive: Label
  /** Computes the number of the counts down to each score. */
  readonly ofTwo: (cuts: Cuts) => number
  /** Prepares the number of several classes as a function of the docs' weights. */
  readonly ofSeveral?: (docs: readonly ClassScores[]) => (weights?: ArrayLike<number>) => number
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
      if (rows.length === 0) return finite(ofTwo(prepareCuts(readRanked(classes, scores))()))
      if (ofSeveral === undefined) throw new Error('it knows two classes, and there are more')
      return finite(ofSeveral(rows)())
    },
    // Each doc is a cell of its own: the sums are how often a resample has it.
    resample() {
      const terms = collectTerms()
      const docs = Math.max(rows.length, scores.length)
      for (let doc = 0; doc < docs; doc++) terms.addCells([[doc, 1]])
      if (rows.length > 0) {
        const classes = rows[0]?.scores.length ?? 0
        return { terms, combine: ofSeveral?.(rows) ?? (() => Number.NaN), cost: 2 * docs * classes * classes }
      }
      const countCuts = prepareCuts(readRanked(classes, scores))
      return { terms, combine: sums => ofTwo(countCuts(sums)), cost: 4 * docs }
    },
  }
}

const readRanked = (classes: GrowingColumn, scores: GrowingColumn): readonly Ranked[] =>
  Array.from({ length: scores.length }, (_, at) => ({ isPositive: classes.at(at) === 1, score: scores.at(at) }))
