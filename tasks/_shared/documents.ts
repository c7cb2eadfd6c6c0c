/** Questions about documents, for models that reason first. */
import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { MetricInput } from '../../stages/judge/define/define-metric.js'
import { anlsScore } from '../../stages/judge/metrics/anls.js'
import { texts } from './options.js'
import { question } from './question.js'
import { analyseFirst, conversation, meanOf, pictureAndQuestion, taggedAnswers } from './reasoning.js'
import { identifier } from './values.js'

/**
 * A row for the evaluation server of DocVQA and InfographicVQA.
 * @throws Error if the doc's id is not a whole number.
 */
export function documentSubmission({ text, record: { doc } }: MetricInput): Json {
  const id = Number(identifier(doc['questionId'], 'questionId'))
  if (!Number.isInteger(id)) throw new Error(`the field "questionId" must be a whole number, not ${String(id)}`)
  return { questionId: id, answer: text }
}

/** The messages: the instruction to analyse first, then the page and the question. */
export const messages = (doc: Doc, kwargs: TaskKwargs): unknown =>
  conversation(analyseFirst, pictureAndQuestion(doc['image'], question(doc, kwargs)))

/** The mean ANLS of the tagged answers, and the reward for their form. */
export function score(doc: JsonObject, answers: readonly Json[]): Record<string, number> {
  const right = texts(doc['answers'], 'answers')
  const { said, form } = taggedAnswers(answers)
  return { anls: meanOf(said.map(answer => anlsScore(answer, right))), anls_format_score: form }
}

/** A row for the evaluation server, with the tagged answer. */
export const submission = (input: MetricInput): Json =>
  documentSubmission({ ...input, text: taggedAnswers([input.text]).said[0] ?? '' })
