import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { text } from '../_shared/options.js'
import { conversation, pictureAndQuestion, reasoningScores, thinkFirst } from '../_shared/reasoning.js'

/** The picture and the question, to be thought of first. */
export const messages = (doc: Doc): unknown =>
  conversation(thinkFirst, pictureAndQuestion(doc['image'], text(doc['question'], 'question')))

/** Accuracy and form of the answers. */
export function score(doc: JsonObject, answers: readonly Json[]): Record<string, number | Verdict> {
  const { accuracy, form } = reasoningScores(answers, text(doc['answer'], 'answer'))
  return { acc_score: accuracy, format_score: form }
}
