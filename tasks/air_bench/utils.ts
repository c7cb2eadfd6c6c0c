import type { Json } from '../../base/values/canonical-json.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { identifier } from '../_shared/values.js'
import { letter, text } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'
import { spacedLetter } from '../_shared/letters.js'

export { question } from '../_shared/question.js'
export { roundedMean as share } from '../_shared/means.js'
export { judgedAgainstReference } from './judge.js'

const fields = ['choice_a', 'choice_b', 'choice_c', 'choice_d']

/** Those of the second half may be absent. */
const readOptions = (doc: Doc): readonly (string | undefined)[] =>
  fields.map((field, i) => (i < 2 ? text(doc[field], field) : textOrNothing(doc, field)))

const textOrNothing = (doc: Doc, field: string): string | undefined =>
  doc[field] === undefined || doc[field] === null ? undefined : text(doc[field], field)

/** The question with four options; one that is not there is asked as "None", as the published numbers have it. */
export function questionWithOptions(doc: Doc, kwargs: TaskKwargs): string {
  const options = readOptions(doc).map((option, i) => `${letter(i)}. ${option ?? 'None'}\n`)
  return affixed(`${text(doc['question'], 'question')}\n${options.join('')}`, kwargs)
}

export const lettersOf = (doc: Doc): readonly string[] =>
  readOptions(doc).flatMap((option, i) => (option === undefined || option.trim() === '' ? [] : [letter(i)]))

/** The letter of the option that is the answer. */
export function rightLetter(doc: Doc): string {
  const index = readOptions(doc).indexOf(text(doc['answer_gt'], 'answer_gt'))
  if (index < 0) throw new Error('the field "answer_gt" is none of the options')
  return letter(index)
}

/** Scores whether the answer names the right option, and makes the row that the benchmark's script reads. */
export function namesRightLetter(doc: Doc, [answer = '']: readonly string[]): Record<string, Json | Verdict> {
  const named = spacedLetter(answer, lettersOf(doc))
  const row = { [identifier(doc['uniq_id'] ?? 'unknown', 'uniq_id')]: named ?? null }
  if (named !== undefined) return { accuracy: Number(named === rightLetter(doc)), submission: row }
  const reason = 'the answer names no option'
  return { accuracy: unparsed(reason), submission: unparsed(reason, row) }
}
