import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { text } from '../_shared/options.js'
import { analyseFirst, conversation, pictureAndQuestion, reasoningScores } from '../_shared/reasoning.js'
import { question } from './utils.js'

/** The pictures and the question, to be analysed first. */
export const messages = (doc: Doc): unknown =>
  conversation(analyseFirst, pictureAndQuestion(doc['image'], question(doc)))

/** Accuracy and form of the answers: among all questions, and among those on pictures or on videos. */
export function score(doc: JsonObject, answers: readonly Json[]): Record<string, number | Verdict> {
  const { accuracy, form } = reasoningScores(answers, text(doc['answer'], 'answer'))
  const type = text(doc['data_type'], 'data_type')
  return {
    [`seed_${type}_acc_score`]: accuracy,
    [`seed_${type}_format_score`]: form,
    seed_all_acc_score: accuracy,
    seed_all_format_score: form,
  }
}
