import type { JsonObject } from '../../cache/records.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define-metric.js'
import { reasonedAnswer, reasoningScore } from '../../stages/judge/helpers/reasoned-answers.js'
import { text } from '../_shared/options.js'

const instruction =
  'You are a helpful assistant. When the user asks a question, your response must include two parts: first, the reasoning process enclosed in ' +
  '<think>...</think> tags, then the final answer enclosed in <answer>...</answer> tags.' +
  'Please provide a clear, concise response within <answer> </answer> tags that directly addresses the question.'

/** The question with its options on one line. */
export function question(doc: Doc): string {
  const options = [1, 2, 3, 4].map(number => text(doc[`choice${number}`], `choice${number}`))
  const lettered = options.map((option, index) => `(${'ABCD'.charAt(index)}) ${option}`)
  return `Question: ${text(doc['Question'], 'Question')}\nChoices:\n${lettered.join(' ')}\n`
}

/** How the model is to answer, then the question. */
export const conversation = (doc: Doc): unknown => [
  { role: 'system', content: [{ type: 'text', text: instruction }] },
  { role: 'user', content: [{ type: 'text', text: question(doc).trim() }] },
]

/** The share of the answers that name the right letter. */
export function accuracy(doc: JsonObject, results: readonly string[]): Readonly<Record<'acc_score', number | Verdict>> {
  const right = text(doc['answer'], 'answer')
  const scores = results.map(result => reasoningScore(result, right, () => false).accuracy)
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
  const isUnread = results.every(result => reasonedAnswer(result).trim() === '')
  return { acc_score: isUnread ? unparsed('no answer in tags or a box, and no number at the end', mean) : mean }
}
