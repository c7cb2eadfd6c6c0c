import type { Json } from '../../base/values/canonical-json.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { MetricInput } from '../../stages/judge/define/define-metric.js'
import { normaliseVqaV2Answer } from '../../stages/judge/metrics/vqa-accuracy.js'
import { text } from '../_shared/options.js'

export { question } from '../_shared/question.js'

/** Reads the answers of all people, including equal ones. Null if they are not public. */
export function humanAnswers({ answers }: Doc): readonly string[] | null {
  if (answers === undefined || answers === null) return null
  if (!Array.isArray(answers)) throw new Error('the field "answers" must be a list')
  return answers.map((one: Readonly<Record<string, unknown>>) => text(one['answer'], 'answers.answer'))
}

/** A row of what the server takes. */
export const submission = ({ text: answer, record: { doc } }: MetricInput): Json => ({
  question_id: doc['question_id'] ?? null,
  answer: normaliseVqaV2Answer(answer),
})
