import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { letter, text } from '../_shared/options.js'
import { conversation as conversationOf, reasoningScores, thinkFirst } from '../_shared/reasoning.js'

/** The question with its options on one line. */
export function question(doc: Doc): string {
  const options = [1, 2, 3, 4].map(number => text(doc[`choice${number}`], `choice${number}`))
  const lettered = options.map((option, index) => `(${letter(index)}) ${option}`)
  return `Question: ${text(doc['Question'], 'Question')}\nChoices:\n${lettered.join(' ')}\n`
}

/** Puts the instruction how to answer before the question. */
export const conversation = (doc: Doc): unknown =>
  conversationOf(thinkFirst, [{ type: 'text', text: stripWhiteSpace(question(doc)) }])

/** The share of the answers that name the right letter. */
export const accuracy = (doc: JsonObject, results: readonly string[]): { readonly acc_score: number | Verdict } => ({
  acc_score: reasoningScores(results, text(doc['answer'], 'answer')).accuracy,
})
