import type { Json } from '../../base/values/canonical-json.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { extractMcqAnswer } from '../../stages/judge/helpers/multiple-choice.js'
import { letterScore } from '../_shared/letters.js'
import { text } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'

const letters = ['A', 'B', 'C', 'D']
const letterRequest = 'Please answer directly with only the letter of the correct option and nothing else.'

/** The doc's question; where the model has a request of its own, without the one for a letter. */
export function question(doc: Doc, kwargs: TaskKwargs): string {
  const asked = stripWhiteSpace(text(doc['question'], 'question'))
  const isRequested = (kwargs['post_prompt'] ?? '') !== ''
  return affixed(isRequested ? asked.replaceAll(letterRequest, '') : asked, kwargs)
}

/** 1 where the answer names the right option, or, where there are none, is the right words but for case and a dot at the end. */
export function score(doc: JsonObject, [answer]: readonly Json[]): Record<string, number | Verdict> {
  const said = text(answer, 'answer')
  const right = stripWhiteSpace(text(doc['answer'], 'answer'))
  if (letters.includes(right.toUpperCase()))
    return { exact_match: letterScore(extractMcqAnswer(said, letters), right.toUpperCase()) }
  const words = stripWhiteSpace(said.toLowerCase()).replace(/\.+$/, '')
  return { exact_match: Number(words === right.toLowerCase()) }
}
