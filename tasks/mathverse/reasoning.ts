import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { text } from '../_shared/options.js'
import { conversation, pictureAndQuestion, reasoningValues, thinkFirst } from '../_shared/reasoning.js'
import { picture, query } from './utils.js'

/** The picture, where there is one, and the problem, to be thought about first. */
export const messages = (doc: Doc, kwargs: TaskKwargs): unknown =>
  conversation(thinkFirst, pictureAndQuestion(picture(doc), query(doc, kwargs)))

/** Accuracy and form of the answers. */
export const score = (doc: JsonObject, answers: readonly Json[]): Record<string, number | Verdict> =>
  reasoningValues(answers, text(doc['answer'], 'answer'))
