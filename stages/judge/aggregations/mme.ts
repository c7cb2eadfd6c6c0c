import { z } from 'zod'
import type { Json } from '../../../base/canonical-json.js'
import { bare, defineAggregation } from '../define-aggregation.js'
import { mmeCategories, mmeScore, type MmeAnswer } from '../helpers/mme.js'

const answer = z.object({ category: z.string(), picture: z.string(), score: z.number() })

const answersOf = (values: readonly Json[]): readonly MmeAnswer[] =>
  values.map(value => {
    const { category, picture, score } = answer.parse(value)
    return { category, picture, isRight: score === 1 }
  })

/**
 * MME's score: over categories the sum of accuracy and accuracy+, in per cent each. Values are `{category, picture, score}`. For what
 * it is see {@link mmeScore}.
 */
export const mme = defineAggregation({
  id: 'mme',
  of: 'values',
  summarise(values) {
    const answers = answersOf(values)
    const parts = Array.from(
      mmeCategories(answers),
      ([name, { accuracy, accuracyPlus }]) => `${name} ${(accuracy + accuracyPlus).toFixed(2)}`,
    )
    return { ...bare(mmeScore(answers)), note: parts.join(', ') }
  },
})

/** MME's accuracy+: the share of pictures with both questions right, 0 to 1. */
export const mmeAccuracyPlus = defineAggregation({
  id: 'mme_acc_plus',
  of: 'values',
  summarise(values) {
    const answers = answersOf(values).map(one => ({
      ...one,
      picture: `${one.category} ${one.picture}`,
      category: 'all',
    }))
    return bare((mmeCategories(answers).get('all')?.accuracyPlus ?? 0) / 100)
  },
})
