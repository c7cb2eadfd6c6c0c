import { bare, defineAggregation } from '../define-aggregation.js'
import { mmeCategories, mmeScore } from '../helpers/mme.js'
import { mmeAnswers } from './mme/answers.js'

/**
 * MME's score: over categories the sum of accuracy and accuracy+, in per cent each. Values are `{category, picture, score}`. For what
 * it is see {@link mmeScore}.
 */
export const mme = defineAggregation({
  id: 'mme',
  of: 'values',
  summarise(values) {
    const answers = mmeAnswers(values)
    const parts = Array.from(
      mmeCategories(answers),
      ([name, { accuracy, accuracyPlus }]) => `${name} ${(accuracy + accuracyPlus).toFixed(2)}`,
    )
    return { ...bare(mmeScore(answers)), note: parts.join(', ') }
  },
})
