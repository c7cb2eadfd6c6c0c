import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { interleaved } from '../_shared/mmmu.js'
import { text } from '../_shared/options.js'
import { conversation, reasoningScores, thinkFirst } from '../_shared/reasoning.js'
import { question } from './utils.js'

/** The question with each picture where it is named, to be thought of first. */
export const messages = (doc: Doc): unknown => conversation(thinkFirst, interleaved(question(doc, {}), doc))

/** Accuracy and form of the answers. */
export function score(doc: JsonObject, answers: readonly Json[]): Record<string, number | Verdict> {
  const { accuracy, form } = reasoningScores(answers, text(doc['answer'], 'answer'))
  return { acc_score: accuracy, format_score: form }
}
