import { isRelaxedMatch } from '../../stages/judge/helpers/relaxed.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import { text } from '../_shared/options.js'

export { question } from '../_shared/question.js'

/** 1 or 0 for all questions, and once more for those of the same origin: people (`human_test`), or the program. */
export function relaxedAccuracies(doc: Doc, [answer = '']: readonly string[]): Readonly<Record<string, number>> {
  const score = isRelaxedMatch(answer, text(doc['answer'], 'answer')) ? 1 : 0
  const split = doc['type'] === 'human_test' ? 'relaxed_human_split' : 'relaxed_augmented_split'
  return { relaxed_overall: score, [split]: score }
}
