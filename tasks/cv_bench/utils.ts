import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { firstLetter, letterNote, letterScore, namedLetter } from '../_shared/letters.js'
import { text, texts } from '../_shared/options.js'

/** The doc's own prompt, after the note on letters. */
export const prompt = (doc: Doc, kwargs: TaskKwargs): string =>
  `${letterNote(doc, kwargs)}\n${text(doc['prompt'], 'prompt')}`

/** 1 where the answer names the right option. */
export function score(
  doc: JsonObject,
  [answer]: readonly Json[],
  { parity }: Pick<ScoringContext, 'parity'> = {},
): Record<string, number | Verdict> {
  const count = texts(doc['choices'], 'choices').length
  const byScript = (said: string): string | undefined => firstLetter(said, count)
  const right = text(doc['answer'], 'answer').replace(/^[()]+|[()]+$/g, '')
  return { cv_bench_acc: letterScore(namedLetter(text(answer, 'answer'), count, { parity, byScript }), right) }
}
