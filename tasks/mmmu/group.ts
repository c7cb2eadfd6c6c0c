import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, EditedMedium, MediumSource } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { namedPictures } from '../_shared/mmmu.js'
import { bracketed, text } from '../_shared/options.js'
import { writtenOptions } from '../_shared/options.js'
import { composed } from './composition.js'
import { isOpen, score as scoreOne } from './utils.js'

/** The question, which names pictures by the numbers in their corners. */
export function question(doc: Doc): string {
  const asked = text(doc['question'], 'question')
  if (isOpen(doc)) return `${asked}\nAnswer the question using a single word or phrase.`
  const options = bracketed(writtenOptions(doc['options'], 'options')).join('\n')
  return `${asked}\n${options}\n\nAnswer with the option's letter from the given choices directly.`
}

/** Composes all pictures of the question and its options into one. */
export function picture(doc: Doc): EditedMedium {
  const [medium, ...others] = namedPictures(question(doc), doc) as readonly MediumSource[]
  if (medium === undefined) throw new Error('the question names no picture')
  return { medium, others, edit: (first, more) => composed([first, ...more]) }
}

/** 1 where the answer is right. Open answers are compared as the benchmark does, also where other forms of it are wrong in lmms-eval. */
export const score = (
  doc: JsonObject,
  answers: readonly Json[],
  { parity }: Pick<ScoringContext, 'parity'>,
): Record<string, number | Verdict> => scoreOne(doc, answers, isOpen(doc) ? {} : { parity })

/** Makes the row of the split whose answers only the benchmark's server has: the unchanged answer, by id. */
export const submission = (doc: JsonObject, [answer]: readonly Json[]): Record<string, Json> => ({
  submission: { [text(doc['id'], 'id')]: text(answer, 'answer') },
})
