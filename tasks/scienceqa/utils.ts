import type { Json } from '../../base/values/canonical-json.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { letterScore } from '../_shared/letters.js'
import { letter, lettered, text, texts } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'
import { number } from '../_shared/values.js'

/** The hint, where there is one, the question and its options, in the form that the model was trained on. */
export function question(doc: Doc, kwargs: TaskKwargs): string {
  const [asked, hint] = [text(doc['question'], 'question'), text(doc['hint'] ?? '', 'hint')]
  const options = lettered(texts(doc['choices'], 'choices')).join('\n')
  switch (kwargs['format']) {
    case 'default':
      return affixed(`${hint === '' ? '' : `Context: ${hint}\n`}${asked}\n${options}`, kwargs)
    case 'qwen_vl':
      return `Context: ${hint === '' ? 'N/A' : hint}\nQuestion: ${asked}\nOptions: ${options}\nAnswer:`
    default:
      throw new Error(`format must be default or qwen_vl, not ${JSON.stringify(kwargs['format'])}`)
  }
}

/** The doc's picture, where it has one: most questions of the whole set have none. */
export const picture = (doc: Doc): unknown => doc['image'] ?? []

/** The letter of the right option. */
export const rightLetter = (doc: Doc): string => letter(number(doc['answer'], 'answer'))

/** 1 where the answer names the right option. */
export const score = (
  doc: JsonObject,
  [answer]: readonly Json[],
  { parity }: Pick<ScoringContext, 'parity'>,
): Record<string, number | Verdict> => ({
  exact_match: letterScore(namedLetter(stripWhiteSpace(text(answer, 'answer')), parity), rightLetter(doc)),
})

/**
 * A letter alone in any case, a capital letter with a dot at the start, or "The answer is B" where that is said once.
 *
 * Source: Liu et al. 2023, LLaVA, `eval_science_qa.py`; the first two as lmms-eval 0.7.2 reads them, which leaves the third out.
 */
function namedLetter(answer: string, parity: ScoringContext['parity']): string | undefined {
  const atStart = /^(?:[A-Za-z]$|[A-Z]\.)/.exec(answer)?.[0].charAt(0)
  if (atStart !== undefined) return atStart.toUpperCase()
  if (parity !== undefined) return undefined
  const [said, ...more] = answer.matchAll(/The answer is ([A-Z])./g)
  return more.length === 0 ? said?.[1] : undefined
}
