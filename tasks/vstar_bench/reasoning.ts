import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { text } from '../_shared/options.js'
import { analyseFirst, conversation, pictureAndQuestion, reasoningScores } from '../_shared/reasoning.js'
import { question } from './utils.js'

type Scores = Record<string, number | Verdict>

/** The picture and the question, to be analysed first. */
export const messages = (doc: Doc, kwargs: TaskKwargs): unknown =>
  conversation(analyseFirst, pictureAndQuestion(doc['image'], question(doc, kwargs)))

/** Accuracy and form of the answers: among all questions, and among those of the doc's category. */
export const score = (doc: JsonObject, answers: readonly Json[]): Scores => ({
  ...scoresAs('overall', doc, answers),
  ...scoresAs(text(doc['category'], 'category'), doc, answers),
})

export const directAttributesScore = (doc: JsonObject, answers: readonly Json[]): Scores =>
  scoresAs('direct_attributes', doc, answers)
export const relativePositionScore = (doc: JsonObject, answers: readonly Json[]): Scores =>
  scoresAs('relative_position', doc, answers)

function scoresAs(part: string, doc: JsonObject, answers: readonly Json[]): Scores {
  const { accuracy, form } = reasoningScores(answers, text(doc['label'], 'label').toUpperCase())
  return { [`vstar_${part}_acc_score`]: accuracy, [`vstar_${part}_format_score`]: form }
}
