import type { Json } from '../../base/values/canonical-json.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { MetricInput } from '../../stages/judge/define/define-metric.js'
import { normaliseVqaAnswer } from '../../stages/judge/metrics/vqa-accuracy.js'
import { capitalised } from '../_shared/question.js'
import { text, texts } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'

/** The question as a sentence; with `ocr`, the words that the dataset's reader found in the picture. */
export function question(doc: Doc, kwargs: TaskKwargs): string {
  const asked = capitalised(text(doc['question'], 'question'))
  const isHinted = kwargs['ocr'] === true
  const hint = isHinted ? `\nReference OCR token: ${texts(doc['ocr_tokens'], 'ocr_tokens').join(', ')}` : ''
  return affixed(`${asked}${hint}`, kwargs)
}

/** A row of what the server takes. */
export const submission = ({ text: answer, record: { doc } }: MetricInput): Json => ({
  question_id: doc['question_id'] ?? null,
  answer: normaliseVqaAnswer(answer),
})
