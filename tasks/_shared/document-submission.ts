import type { Json } from '../../base/canonical-json.js'
import type { MetricInput } from '../../stages/judge/define-metric.js'
import { identifier } from './identifier.js'

/** A row of what the server of DocVQA and InfographicVQA takes. @throws Error where the doc has no number. */
export function documentSubmission({ text, record: { doc } }: MetricInput): Json {
  const id = Number(identifier(doc['questionId'], 'questionId'))
  if (!Number.isInteger(id)) throw new Error(`the field "questionId" must be a whole number, not ${String(id)}`)
  return { questionId: id, answer: text }
}
