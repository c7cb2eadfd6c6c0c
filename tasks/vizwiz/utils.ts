import type { Json } from '../../base/values/canonical-json.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { MetricInput } from '../../stages/judge/define/define-metric.js'
import { normaliseVqaAnswer } from '../../stages/judge/metrics/vqa-accuracy.js'
import { capitalised } from '../_shared/question.js'
import { identifier } from '../_shared/values.js'
import { text } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'

/** The question as a sentence. */
export const question = (doc: Doc, kwargs: TaskKwargs): string =>
  affixed(capitalised(text(doc['question'], 'question')), kwargs)

/** A row of what the server takes, which calls a question by the file of its picture. */
export function submission({ text: answer, record: { doc } }: MetricInput): Json {
  const id = identifier(doc['question_id'], 'question_id')
  return { image: id.endsWith('.jpg') ? id : `${id}.jpg`, answer: normaliseVqaAnswer(answer) }
}
