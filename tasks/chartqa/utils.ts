import type { Doc } from '../../stages/input/tasks/doc.js'
import { isRelaxedMatch } from '../../stages/judge/metrics/numeric-match.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { text } from '../_shared/options.js'

export { question } from '../_shared/question.js'

/** 1 or 0 for all questions, and once more for those of the same origin: people (`human_test`), or the program. */
export function relaxedAccuracies(
  doc: Doc,
  [answer = '']: readonly string[],
  { parity }: Pick<ScoringContext, 'parity'>,
): Readonly<Record<string, number>> {
  const target = text(doc['answer'], 'answer')
  const isRight = isRelaxedMatch(answer, target, { parity })
  const split = doc['type'] === 'human_test' ? 'relaxed_human_split' : 'relaxed_augmented_split'
  return { relaxed_overall: Number(isRight), [split]: Number(isRight) }
}
