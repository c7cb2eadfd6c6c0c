import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { firstLetter } from '../_shared/letters.js'
import { letterNote } from '../_shared/letters.js'
import { letterScore } from '../_shared/letters.js'
import { text, texts } from '../_shared/options.js'

/** The doc's own prompt, after the note on letters. */
export const prompt = (doc: Doc, kwargs: TaskKwargs): string =>
  `${letterNote(doc, kwargs)}\n${text(doc['prompt'], 'prompt')}`

/** 1 where the answer begins with the right letter. */
export const score = (doc: JsonObject, [answer]: readonly Json[]): Record<string, number | Verdict> => ({
  cv_bench_acc: letterScore(
    firstLetter(text(answer, 'answer'), texts(doc['choices'], 'choices').length),
    text(doc['answer'], 'answer').replace(/^[()]+|[()]+$/g, ''),
  ),
})
