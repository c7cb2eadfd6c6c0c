import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { scoreLetteredChoice } from '../_shared/lettered-choice.js'
import { letterNote } from '../_shared/letters.js'
import { text } from '../_shared/options.js'

/** The doc's own prompt, after the note on letters. */
export const prompt = (doc: Doc, kwargs: TaskKwargs): string =>
  `${letterNote(doc, kwargs)}\n${text(doc['prompt'], 'prompt')}`

/** 1 where the answer names the right option. */
export const score = (
  doc: JsonObject,
  [answer]: readonly Json[],
  context: Pick<ScoringContext, 'parity'> = {},
): Record<string, number | Verdict> => ({ cv_bench_acc: scoreLetteredChoice(doc, answer, context) })
