import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { text } from '../_shared/options.js'
import { question } from '../_shared/question.js'
import { analyseFirst, conversation, pictureAndQuestion, reasoningScores } from '../_shared/reasoning.js'

/** The chart and the question, to be analysed first. */
export const messages = (doc: Doc, kwargs: TaskKwargs): unknown =>
  conversation(analyseFirst, pictureAndQuestion(doc['image'], question(doc, kwargs)))

/** Accuracy and form of the answers: among all questions, and among those of the same origin. Numbers must be the same here, not near. */
export function score(doc: JsonObject, answers: readonly Json[]): Record<string, number | Verdict> {
  const { accuracy, form } = reasoningScores(answers, text(doc['answer'], 'answer'))
  const split = doc['type'] === 'human_test' ? 'human_split' : 'augmented_split'
  return {
    relaxed_overall_acc_score: accuracy,
    relaxed_overall_format_score: form,
    [`relaxed_${split}_acc_score`]: accuracy,
    [`relaxed_${split}_format_score`]: form,
  }
}
