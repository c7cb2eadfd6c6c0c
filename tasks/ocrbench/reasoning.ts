import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { analyseFirst, conversation, meanOf, pictureAndQuestion, taggedAnswers } from '../_shared/reasoning.js'
import { accuracy, question } from './utils.js'

/** The picture and the question, to be analysed first. */
export const messages = (doc: Doc, kwargs: TaskKwargs): unknown =>
  conversation(analyseFirst, pictureAndQuestion(doc['image'], question(doc, kwargs)))

/** Accuracy of the answers in their tags, and how well they keep to the form. */
export function score(doc: JsonObject, answers: readonly Json[]): Record<string, number> {
  const { said, form } = taggedAnswers(answers)
  return {
    ocrbench_accuracy_acc_score: meanOf(said.map(answer => accuracy(doc, [answer]).ocrbench_accuracy)),
    ocrbench_accuracy_format_score: form,
  }
}
