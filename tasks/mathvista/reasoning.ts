import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { letter, text, texts } from '../_shared/options.js'
import { conversation, pictureAndQuestion, reasoningValues, thinkFirst } from '../_shared/reasoning.js'
import { query } from './utils.js'

/** The picture and the problem, to be thought about first. */
export const messages = (doc: Doc, kwargs: TaskKwargs): unknown =>
  conversation(thinkFirst, pictureAndQuestion(doc['decoded_image'], query(doc, kwargs)))

/** Accuracy and form of the answers; of choices the letter is right. */
export const score = (doc: JsonObject, answers: readonly Json[]): Record<string, number | Verdict> =>
  reasoningValues(answers, rightAnswer(doc))

function rightAnswer(doc: JsonObject): string {
  const answer = text(doc['answer'], 'answer')
  const choices = texts(doc['choices'] ?? [], 'choices')
  if (choices.length === 0 || doc['question_type'] !== 'multi_choice') return answer
  const index = choices.indexOf(answer)
  if (index < 0) throw new Error(`the answer ${JSON.stringify(answer)} is none of the choices`)
  return letter(index)
}
