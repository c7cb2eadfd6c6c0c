import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { letter, lettered, text, texts } from '../_shared/options.js'
import { conversation, pictureAndQuestion, reasoningValues, thinkFirst } from '../_shared/reasoning.js'

/** The question with its options. */
export const question = (doc: Doc): string =>
  `${text(doc['question'], 'question')}\n${lettered(texts(doc['options'], 'options')).join('\n')}`

/** The picture and the question, to be thought about first. */
export const messages = (doc: Doc): unknown => conversation(thinkFirst, pictureAndQuestion(doc['image'], question(doc)))

export const rightLetter = (doc: Doc): string => letter(Number(doc['answer']))

/** Accuracy and form of the answers. */
export const score = (doc: JsonObject, answers: readonly Json[]): Record<string, number | Verdict> =>
  reasoningValues(answers, rightLetter(doc))
