/** What `roc_auc` and `average_precision` have in common. */
import { z } from 'zod'
import type { Fold } from '../../define-aggregation.js'
import { growingColumn } from '../../../../base/growing-column.js'
import { isSameLabel, type Label } from '../../metrics/classification/confusion.js'
import type { ClassScores, Ranked } from '../../metrics/probability/ranking.js'
import { finite, label } from '../classes/class-fold.js'

const scoredDoc = z.tuple([label, z.union([z.number(), z.array(z.number()).min(2)])])

/** The docs of a class and the others with their scores, or, of several classes, all scores. */
export interface RankingRule {
  readonly positive: Label
  readonly ofTwo: (docs: readonly Ranked[]) => number
  readonly ofSeveral?: (docs: readonly ClassScores[]) => number
}

/** Keeps `[class, score]` at sixteen bytes, or `[index of the class, score of each class]`. Of two scores the second counts. */
export function rankingFold({ positive, ofTwo, ofSeveral }: RankingRule): Fold {
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
