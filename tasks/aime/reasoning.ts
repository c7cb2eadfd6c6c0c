import type { Json } from '../../base/values/canonical-json.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { withoutLastDot } from '../../stages/judge/helpers/reasoned-answers.js'
import { conversation, reasoningScores, taggedAnswers, thinkFirst } from '../_shared/reasoning.js'
import { problem, rightAnswer } from './utils.js'

/** The problem, to be thought about first. */
export const messages = (doc: Doc): unknown =>
  conversation(thinkFirst, [{ type: 'text', text: stripWhiteSpace(problem(doc)) }])

/**
 * `exact_match` of the first answer; of the first 2, 4, 8 … whether one is right (`cov`), whether more than half of them are (`maj`), and the
 * share of right ones (`avg`).
 */
export function score(
  doc: JsonObject,
  answers: readonly Json[],
): Readonly<Record<string, number | readonly (string | number)[] | Verdict>> {
  const right = rightAnswer(doc)
  const scores = answers.map(answer => reasoningScores([answer], right).accuracy)
  const matches = scores.map(one => (typeof one === 'number' ? one : 0))
  const values: Record<string, number> = {}
  for (let n = 2; n <= matches.length; n *= 2) {
    const share = matches.slice(0, n).reduce((sum, one) => sum + one, 0) / n
    values[`cov@${n}`] = Number(share > 0)
    values[`maj@${n}`] = Number(share > 0.5)
    values[`avg@${n}`] = share
  }
  const [exact_match = 0] = scores
  return {
    ...values,
    exact_match,
    exact_matches: matches,
    extracted_answers: taggedAnswers(answers).said.map(withoutLastDot),
  }
}
