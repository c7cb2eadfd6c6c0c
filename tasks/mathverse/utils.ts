import type { JsonObject } from '../../cache/records.js'
import type { Doc, MediumSource, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { judgedRight } from '../_shared/judged-right.js'
import { text } from '../_shared/options.js'

/** The picture; the problems in text alone have an empty text in its place. */
export const picture = (doc: Doc): readonly MediumSource[] =>
  doc['image'] === null || doc['image'] === '' ? [] : [doc['image'] as MediumSource]

/** The problem as the data set words it for one kind of asking, after a hint for the kind of question where the model has one. */
export function query(doc: Doc, kwargs: TaskKwargs): string {
  if (kwargs['shot_type'] !== 'custom-prompt') {
    const kind = text(kwargs['query_type'], 'query_type')
    return text(doc[kind], kind).trim()
  }
  const type = text(doc['question_type'], 'question_type') === 'multi-choice' ? 'multi-choice' : 'free-form'
  const hints = (kwargs['hint'] ?? {}) as Readonly<Record<string, unknown>>
  return `${text(hints[type], `hint.${type}`)}\nQuestion: ${text(doc['question'], 'question')}`.trim()
}

/** 1 where the judge model finds the answer right. */
export async function isRight(
  doc: JsonObject,
  [prediction = '']: readonly string[],
  { ask }: ScoringContext,
): Promise<Readonly<Record<string, number | Verdict>>> {
  const question = text(doc['question_for_eval'], 'question_for_eval')
  return { gpt_eval_score: await judgedRight({ question, answer: text(doc['answer'], 'answer'), prediction }, ask) }
}
