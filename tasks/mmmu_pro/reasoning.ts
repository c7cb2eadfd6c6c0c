import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { interleaved, pictureIn } from '../_shared/mmmu.js'
import { lettered, text } from '../_shared/options.js'
import { conversation, pictureAndQuestion, reasoningScores, thinkFirst } from '../_shared/reasoning.js'
import { writtenOptions } from '../_shared/options.js'

/** The question with its options, or the options alone where the question stands in the picture. */
export function question(doc: Doc): string {
  const options = lettered(writtenOptions(doc['options'], 'options')).join('\n')
  if (doc['question'] === undefined) return `${options}\n\nAnswer the question in the image.`
  return `${text(doc['question'], 'question')}\n${options}\n\n`
}

/** Makes the same question with its pictures, and asks the model to think first. */
export const messages = (doc: Doc): unknown =>
  conversation(
    thinkFirst,
    doc['question'] === undefined
      ? pictureAndQuestion(pictureIn(doc, 'image'), question(doc))
      : interleaved(question(doc), doc),
  )

/** Accuracy and form of the answers. */
export function score(doc: JsonObject, answers: readonly Json[]): Record<string, number | Verdict> {
  const { accuracy, form } = reasoningScores(answers, text(doc['answer'], 'answer'))
  return { acc_score: accuracy, format_score: form }
}
