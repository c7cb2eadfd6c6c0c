import { bare, defineAggregation } from '../define-aggregation.js'
import { mmeCategories } from '../helpers/mme.js'
import { mmeAnswers } from './mme/answers.js'

/** MME's accuracy+: the share of pictures with both questions right, 0 to 1. */
export const mmeAccPlus = defineAggregation({
  id: 'mme_acc_plus',
  of: 'values',
  summarise(values) {
    const answers = mmeAnswers(values).map(one => ({
      ...one,
      picture: `${one.category} ${one.picture}`,
      category: 'all',
    }))
    return bare((mmeCategories(answers).get('all')?.accuracyPlus ?? 0) / 100)
  },
})
