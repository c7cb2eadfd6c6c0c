/**
 * The aggregations `roc_auc` and `average_precision`, which measure how well scores rank the docs of a class before
 * the others.
 */
import { z } from 'zod'
import { growingColumn, type GrowingColumn } from '../../../../base/collections/growing-column.js'
import { defineAggregation, type Fold, type ResampledDocs } from '../../define/define-aggregation.js'
import { finite, label } from '../classification/classes.js'
import { isSameLabel, type Label } from '../classification/confusion.js'
import {
  computePrecision,
  prepareArea,
  prepareAreas,
  prepareCuts,
  sortDocs,
  type ClassScores,
  type CountedNumber,
  type Ranked,
  type SortedDocs,
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
      ofTwo: (docs, units) => prepareArea(docs, { maxRate, units }),
      ofSeveral(docs, units) {
        if (form === undefined) throw new Error('there are more than two classes: set multi_class to ovr or ovo')
        return prepareAreas(docs, { multi_class: form, average }, units)
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
  start: ({ pos_label: positive }) =>
    rankingFold({
      positive,
      ofTwo(docs, units) {
        const countCuts = prepareCuts(docs, units)
        return counts => computePrecision(countCuts(counts))
      },
    }),
})

const scoredDoc = z.tuple([label, z.union([z.number(), z.array(z.number()).min(2)])])

/**
 * The rule that computes the number: for two classes from the scores of a class's docs and the others, for more from
 * all scores.
 */
interface RankingRule {
  readonly positive: Label
  /** Prepares the number of two classes as a function of how often the docs of each unit count. */
  readonly ofTwo: (docs: SortedDocs, units?: ArrayLike<number>) => CountedNumber
  /** Prepares the number of several classes. */
  readonly ofSeveral?: (docs: readonly ClassScores[], units?: ArrayLike<number>) => CountedNumber
}

/**
 * Keeps `[class, score]` in sixteen bytes, or `[index of the class, score of each class]`. For two classes the
 * second score counts.
 */
function rankingFold({ positive, ofTwo, ofSeveral }: RankingRule): Fold {
  const classes = growingColumn()
  const scores = growingColumn()
  const rows: ClassScores[] = []
  let sorted: SortedDocs | undefined
  const readSorted = (): SortedDocs => (sorted ??= sortDocs(readRanked(classes, scores)))
  return {
    add(value) {
      const parsed = scoredDoc.safeParse(value)
      if (!parsed.success) throw new Error(`it takes [class, score(s)], not ${JSON.stringify(value).slice(0, 200)}`)
      const [gold, docScores] = parsed.data
      if (typeof docScores !== 'number' && docScores.length > 2) {
        if (typeof gold !== 'number')
          throw new Error(`with ${docScores.length} scores the class is an index, not ${gold}`)
        rows.push({ gold, scores: docScores })
        return
      }
      sorted = undefined
      classes.push(isSameLabel(gold, positive) ? 1 : 0)
      scores.push(typeof docScores === 'number' ? docScores : (docScores[1] ?? NaN))
    },
    finish() {
      if (rows.length === 0) return finite(ofTwo(readSorted())())
      if (ofSeveral === undefined) throw new Error('it knows two classes, and there are more')
      return finite(ofSeveral(rows)())
    },
    resample() {
      const docs = Math.max(rows.length, scores.length)
      if (rows.length > 0) {
        const classes = rows[0]?.scores.length ?? 0
        const prepareCounts: ResampledDocs['prepareCounts'] = ({ index }) =>
          ofSeveral?.(rows, index) ?? (() => Number.NaN)
        return { docs, prepareCounts, cost: 2 * docs * classes * classes }
      }
      return { docs, prepareCounts: ({ index }) => ofTwo(readSorted(), index), cost: 4 * docs }
    },
  }
}

const readRanked = (classes: GrowingColumn, scores: GrowingColumn): readonly Ranked[] =>
  Array.from({ length: scores.length }, (_, at) => ({ isPositive: classes.at(at) === 1, score: scores.at(at) }))
