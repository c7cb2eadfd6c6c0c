import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { lettered, text, texts } from '../_shared/options.js'
import { isEqualAnswer, readAnswer } from './answers.js'

export { roundedPercent } from '../_shared/rounded-percent.js'

/** The instruction, the question and its options; no white space stands between the first two. */
export function question(doc: Doc, kwargs: TaskKwargs): string {
  const asked = `Please solve the problem step by step and put your answer in one "\\boxed{}".${text(doc['question'], 'question')}`
  const options = texts(doc['options'], 'options')
  if (options.length === 0) return asked
  return `${asked}\nChoices: ${lettered(options).join('\n')}\n${text(kwargs['mc_prompt'], 'mc_prompt')}`
}

/** 1 where the answer is the right letter, the text of its option, or the same number to two places. */
export function isRight(doc: JsonObject, [given = '']: readonly string[]): Readonly<Record<string, number>> {
  const right = text(doc['answer'], 'answer')
  const option = texts(doc['options'], 'options')[right.charCodeAt(0) - 65] ?? ''
  const answer = readAnswer(given)
  return { mathvision_standard_eval: Number([right, option].some(one => isEqualAnswer(one, answer))) }
}
