import type { Json } from '../../base/values/canonical-json.js'
import type { MetricInput } from '../../stages/judge/define/define-metric.js'
import { normaliseVqaAnswer } from '../../stages/judge/metrics/vqa-accuracy.js'
import { identifier } from '../_shared/values.js'

export { question } from '../_shared/question.js'

/** The answer as it is compared, with the question's number in the form that other programs write it. */
export const submission = ({ text, record: { doc } }: MetricInput): Json => ({
  image: `${identifier(doc['question_id'], 'question_id')}.jpg`,
  answer: normaliseVqaAnswer(text),
})
