import type { Json } from '../../base/values/canonical-json.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { reasonedAnswer } from '../../stages/judge/helpers/reasoned-answers.js'
import { text } from '../_shared/options.js'
import { analyseFirst, conversation, pictureAndQuestion, reasoningScores } from '../_shared/reasoning.js'
import { optionsOf } from './options.js'
import { submissionOf } from './submission.js'

/** The hint, where there is one, the question and its options. */
export const question = (doc: Doc): string => questionWith(doc, '')

/** Makes the same question, with a sentence before the options. */
export const introducedQuestion = (doc: Doc): string => questionWith(doc, 'There are several options:')

function questionWith(doc: Doc, before: string): string {
  const hint = text(doc['hint'] ?? '', 'hint')
  const options = Object.entries(optionsOf(doc)).map(([letter, option]) => `${letter}. ${option}`)
  const asked = `${hint === '' || hint === 'nan' ? '' : `${hint} `}${text(doc['question'], 'question')} ${before}`
  return [asked, ...options].join('\n')
}

const makeMessageRenderer =
  (ask: (doc: Doc) => string) =>
  (doc: Doc): unknown =>
    conversation(analyseFirst, pictureAndQuestion(doc['image'], ask(doc)))

/** The picture and the question, to be analysed first. */
export const messages = makeMessageRenderer(question)
export const introducedMessages = makeMessageRenderer(introducedQuestion)

/** Accuracy and form of the answers. */
export function score(doc: JsonObject, answers: readonly Json[]): Record<string, number | Verdict> {
  const { accuracy, form } = reasoningScores(answers, text(doc['answer'], 'answer'))
  return { acc_score: accuracy, format_score: form }
}

/** Makes the row of a split whose answers only the benchmark's server has. */
export function submission(doc: JsonObject, [answer]: readonly Json[]): Record<string, Json> {
  const said = text(answer, 'answer')
  return { submission: { ...submissionOf(doc, said), answer: stripWhiteSpace(reasonedAnswer(said)) } }
}
