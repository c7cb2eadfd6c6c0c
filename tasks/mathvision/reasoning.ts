import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { text } from '../_shared/options.js'
import { conversation, pictureAndQuestion, reasoningValues, thinkFirst } from '../_shared/reasoning.js'
import { problem } from './utils.js'

export { problem as question } from './utils.js'

/** The picture and the problem, to be thought about first. */
export const messages = (doc: Doc): unknown =>
  conversation(thinkFirst, pictureAndQuestion(doc['decoded_image'], problem(doc)))

/** Accuracy and form of the answers. */
export const score = (doc: JsonObject, answers: readonly Json[]): Record<string, number | Verdict> =>
  reasoningValues(answers, text(doc['answer'], 'answer'))
