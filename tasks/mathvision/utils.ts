import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { lettered, text, texts } from '../_shared/options.js'
import { isEqualAnswer, readAnswer } from './answers.js'

export { roundedPercent } from '../_shared/means.js'

/** The instruction, the question and its options; no white space stands between the first two. */
export function problem(doc: Doc): string {
  const asked = `Please solve the problem step by step and put your answer in one "\\boxed{}".${text(doc['question'], 'question')}`
  const options = texts(doc['options'], 'options')
  return options.length === 0 ? asked : `${asked}\nChoices: ${lettered(options).join('\n')}`
}

/** The problem, and where it has options how one is to be named. */
export const question = (doc: Doc, kwargs: TaskKwargs): string =>
  texts(doc['options'], 'options').length === 0
    ? problem(doc)
    : `${problem(doc)}\n${text(kwargs['mc_prompt'], 'mc_prompt')}`

/** 1 where the answer is the right letter, the text of its option, or the same number to two places. */
export function isRight(doc: JsonObject, [given = '']: readonly string[]): Readonly<Record<string, number>> {
  const right = text(doc['answer'], 'answer')
  const option = texts(doc['options'], 'options')[right.charCodeAt(0) - 65] ?? ''
  const answer = readAnswer(given)
  return { mathvision_standard_eval: Number([right, option].some(one => isEqualAnswer(one, answer))) }
}
