import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { capitalised } from '../_shared/question.js'
import { text } from '../_shared/options.js'
import { analyseFirst, conversation, pictureAndQuestion, reasoningScores } from '../_shared/reasoning.js'
import { question } from './utils.js'

/** The picture and the question, to be analysed first. */
export const messages = (doc: Doc, kwargs: TaskKwargs): unknown =>
  conversation(analyseFirst, pictureAndQuestion(doc['image'], question(doc, kwargs)))

/** Accuracy and form of the answers: among the questions on pictures of the same type, and among all. */
export function score(doc: JsonObject, answers: readonly Json[]): Record<string, number | Verdict> {
  const { accuracy, form } = reasoningScores(answers, text(doc['answer'], 'answer'))
  const type = `seedbench_2_plus_${capitalised(text(doc['question_image_type'], 'question_image_type'))}`
  return {
    [`${type}_acc_score`]: accuracy,
    [`${type}_format_score`]: form,
    seedbench_2_plus_all_acc_score: accuracy,
    seedbench_2_plus_all_format_score: form,
  }
}
