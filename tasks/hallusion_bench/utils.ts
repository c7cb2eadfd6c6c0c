import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import { judgeFailed, type Verdict } from '../../stages/judge/define/define-metric.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { identifier } from '../_shared/values.js'
import { text } from '../_shared/options.js'
import { number, objects } from '../_shared/values.js'

export { question } from '../_shared/question.js'

/**
 * Scores by the finding of a judge model: the question by itself, the question on all its figures, and all questions on the figure. An
 * unclear answer is right if there is no figure to see.
 */
export async function score(
  doc: JsonObject,
  [answer]: readonly Json[],
  { ask, parity }: ScoringContext,
): Promise<Record<string, Json | Verdict>> {
  const reply = await ask({ messages: prompt(doc, text(answer, 'answer')), maxTokens: 16 })
  if (reply.type === 'failed') return { aAcc: judgeFailed(reply.reason) }
  // lmms-eval takes a reply that says nothing for the finding that the answer is unclear.
  const found = findingIn(reply.text) ?? (parity === undefined ? undefined : 'unclear')
  if (found === undefined) return { aAcc: judgeFailed(`the judge's reply says nothing: ${reply.text.slice(0, 200)}`) }
  const hasFigure = text(doc['category'], 'category') !== 'VS' || identifier(doc['figure_id'], 'figure_id') !== '0'
  const isRight = Number(found === 'correct' || (found === 'unclear' && !hasFigure))
  return {
    aAcc: isRight,
    qAcc: { group: formatGroup(doc, 'question_id'), score: isRight },
    ...(hasFigure && { fAcc: { group: formatGroup(doc, 'figure_id'), score: isRight } }),
  }
}

/** The share of groups, in per cent, whose docs are all right. */
export function wholeGroups(values: readonly Json[]): number {
  const groups = new Map<string, boolean>()
  for (const value of objects(values)) {
    const group = text(value['group'], 'group')
    groups.set(group, (groups.get(group) ?? true) && number(value['score'], 'score') === 1)
  }
  return (100 * [...groups.values()].filter(Boolean).length) / groups.size
}

const formatGroup = (doc: JsonObject, last: string): string =>
  ['category', 'subcategory', 'set_id', last].map(field => identifier(doc[field], field)).join('_')

type Finding = 'correct' | 'incorrect' | 'unclear'

function findingIn(reply: string): Finding | undefined {
  const said = reply.toLowerCase()
  return (['incorrect', 'correct', 'unclear'] as const).find(finding => said.includes(finding))
}

/** The benchmark's own words (`utils.py`, evaluate_by_chatgpt). */
const prompt = (doc: JsonObject, answer: string): string =>
  'Imagine you are an intelligent teacher. Thoroughly read the question, reference answer and the prediction answer to ' +
  'ensure a clear understanding of the information provided. Assess the correctness of the predictions. ' +
  'If the prediction answer does not conflict with the reference answer, please generate “correct”. If the prediction ' +
  'answer conflict with the reference answer, please generate “incorrect”. If the prediction answer is unclear about the ' +
  `answer, please generate "unclear". \n\n Question:${text(doc['question'], 'question')}` +
  `\nReference answer: ${text(doc['gt_answer_details'], 'gt_answer_details')}\nPrediction answer:${answer}\nOutput:`
