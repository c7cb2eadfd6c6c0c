import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { extractMcqAnswer } from '../../stages/judge/helpers/multiple-choice.js'
import { letterScore } from '../_shared/letters.js'
import { bracketed, text, texts } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'

export const nothing = (): readonly string[] => []

/** The question with its options; where the doc has no list of them they stand in the question. */
export function questionWithOptions(doc: Doc, kwargs: TaskKwargs): string {
  const options = texts(doc['options'] ?? [], 'options')
  return affixed([text(doc['question'], 'question'), ...bracketed(options)].join('\n'), kwargs)
}

/** Scores whether the answer names the right option. */
export function namesRightLetter(doc: Doc, [answer = '']: readonly string[]): Record<string, number | Verdict> {
  const named = extractMcqAnswer(answer, ['A', 'B', 'C', 'D'])
  return { lvbench_score: letterScore(named, text(doc['answer'], 'answer')) }
}
