import type { Json } from '../../base/values/canonical-json.js'
import { stripTrailingWhiteSpace, stripWhiteSpace } from '../../base/python/white-space.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { scored, unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { extractMcqAnswer } from '../../stages/judge/helpers/multiple-choice.js'
import { letter, text } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'

export { meanOfGroups } from '../_shared/means.js'
export { withoutYesNoRequest as question } from '../_shared/question.js'

/** The question and its options, which the table has in columns of their own. */
export function questionWithOptions(doc: Doc, kwargs: TaskKwargs): string {
  const asked = text(doc['question'], 'question').replaceAll('<image 1>', '')
  const options = Array.from({ length: 26 }, (_, index) => letter(index)).filter(name => doc[name] !== undefined)
  const lines = options.map(name => `${name}. ${text(doc[name], name)}\n`)
  return stripTrailingWhiteSpace(affixed(`${asked}\nOptions:\n${lines.join('')}`, kwargs))
}

/** The picture, which the table has as base64. */
export const decodedPicture = (doc: Doc): Uint8Array => Buffer.from(text(doc['image'], 'image'), 'base64')

/** Scores whether the answer names the right option: among the docs of the same core capability, and among all. */
export function score(doc: JsonObject, [answer]: readonly Json[]): Record<string, Verdict> {
  const named = extractMcqAnswer(text(answer, 'answer'), ['A', 'B', 'C', 'D'])
  const isRight = Number(named === stripWhiteSpace(text(doc['answer'], 'answer')).toUpperCase())
  const value = { group: text(doc['l2_category'], 'l2_category'), score: isRight }
  const verdict = named === undefined ? unparsed('the answer names no option', value) : scored(value)
  return { [text(doc['category'], 'category')]: verdict, average: verdict }
}
