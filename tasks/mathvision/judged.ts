import type { JsonObject } from '../../cache/records.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { judgedRight } from '../_shared/judged-right.js'
import { text } from '../_shared/options.js'

/** 1 where the judge model finds the answer right; it is shown the question without its options. */
export async function score(
  doc: JsonObject,
  [prediction = '']: readonly string[],
  { ask }: ScoringContext,
): Promise<Readonly<Record<string, number | Verdict>>> {
  const compared = { question: text(doc['question'], 'question'), answer: text(doc['answer'], 'answer'), prediction }
  return { llm_as_judge_eval: await judgedRight(compared, ask) }
}
