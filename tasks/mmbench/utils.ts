import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { extractMcqAnswer } from '../../stages/judge/helpers/multiple-choice.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { text } from '../_shared/options.js'
import { number } from '../_shared/values.js'
import { inferredOption } from './inferred-option.js'
import { askForOption } from './option-judge.js'
import { optionsOf } from './options.js'
import { submissionOf } from './submission.js'

/** The hint, where there is one, the question and its options. Some tables write `nan` where there is none. */
export const question = (doc: Doc, kwargs: TaskKwargs): string =>
  doc['hint'] === 'nan' ? questionWithoutHint(doc, kwargs) : questionAsGiven(doc, kwargs)

/** Makes the same question, but keeps a hint `nan`, as in the prompts of the published numbers of MMBench in Chinese. */
export function questionAsGiven(doc: Doc, kwargs: TaskKwargs): string {
  const hint = text(doc['hint'] ?? '', 'hint')
  return `${hint === '' ? '' : `${hint} `}${questionWithoutHint(doc, kwargs)}`
}

/** Makes the question of a doc that has no hint. */
export function questionWithoutHint(doc: Doc, kwargs: TaskKwargs): string {
  const options = Object.entries(optionsOf(doc)).map(([letter, option]) => `${letter}. ${option}`)
  const asked = [`${text(doc['question'], 'question')} There are several options:`, ...options]
  return `${asked.join('\n')}\n${text(kwargs['post_prompt'], 'post_prompt')}`
}

/** Scores by the letter or words of the answer, or else by a judge model's reading of it. */
export async function judgedScore(
  doc: JsonObject,
  [answer]: readonly Json[],
  { ask, parity }: ScoringContext,
): Promise<Record<string, Json | Verdict>> {
  const said = text(answer, 'answer')
  const submission = submissionOf(doc, said)
  const named = inferredOption(said, doc, parity)
  if (named !== undefined) return { gpt_eval_score: order(doc, named), submission }
  const judged = await askForOption(doc, said, ask)
  if (judged.type === 'failed') return { gpt_eval_score: judged.verdict, submission }
  return { gpt_eval_score: order(doc, judged.letter), submission }
}

/** Scores by the letter or words of the answer, or else by the common rules of multiple choice. */
export function staticScore(
  doc: JsonObject,
  [answer]: readonly Json[],
  { parity }: Pick<ScoringContext, 'parity'>,
): Record<string, Json | Verdict> {
  const said = text(answer, 'answer')
  const named = inferredOption(said, doc, parity) ?? extractMcqAnswer(said, Object.keys(optionsOf(doc)))
  const value = order(doc, named)
  return {
    gpt_eval_score: named === undefined ? unparsed('the answer names no option', value) : value,
    submission: submissionOf(doc, said),
  }
}

/** Makes the row of a split whose answers only the benchmark's server has. */
export const submissionOnly = (doc: JsonObject, [answer]: readonly Json[]): Record<string, Json> => ({
  submission: submissionOf(doc, text(answer, 'answer')),
})

export { circularAccuracy } from './circular.js'

/** Makes the value of the question in this order of its options. */
const order = (doc: JsonObject, named: string | undefined): JsonObject => ({
  index: number(doc['index'], 'index'),
  options: Object.keys(optionsOf(doc)).length,
  score: Number(named === text(doc['answer'], 'answer')),
})
