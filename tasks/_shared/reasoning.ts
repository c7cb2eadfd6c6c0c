/** Shared code of benchmark variants in which the model reasons in tags first, and then answers in tags. */
import type { Json } from '../../base/values/canonical-json.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { formatReward, reasonedAnswer, reasoningScore } from '../../stages/judge/helpers/reasoned-answers.js'
import { isMathEqual } from '../../stages/judge/math/math-equal.js'
import { text } from './options.js'

const wants = (question: string, reasoning: string): string =>
  `You are a helpful assistant. When ${question}, your response must include two parts: first, ${reasoning} tags, then `

/** An instruction to reason in `<think>` tags. */
export const thinkFirst =
  wants('the user asks a question', 'the reasoning process enclosed in <think>...</think>') +
  'the final answer enclosed in <answer>...</answer> tags.' +
  'Please provide a clear, concise response within <answer> </answer> tags that directly addresses the question.'

/** An instruction to reason in `<analysis>` tags. */
export const analyseFirst =
  wants('user asks a question', 'reasoning process enclosed in <analysis>...</analysis>') +
  'final answer enclosed in <answer>...</answer> tags.' +
  'Please provide a clear, concise response within <answer> </answer> tags that directly addresses to question.'

/** Messages with the instruction as system message and the content as user message. */
export const conversation = (instruction: string, content: readonly unknown[]): unknown => [
  { role: 'system', content: [{ type: 'text', text: instruction }] },
  { role: 'user', content },
]

/** The images, then the question. */
export const pictureAndQuestion = (image: unknown, question: string): readonly unknown[] => [
  ...[image].flat().map(one => ({ type: 'image', image: one })),
  { type: 'text', text: stripWhiteSpace(question) },
]

/** The share of correct answers and the mean reward for their form, each 0 to 1. */
export function reasoningScores(
  answers: readonly Json[],
  right: string,
): { readonly accuracy: number | Verdict; readonly form: number } {
  const said = answers.map(answer => text(answer, 'answer'))
  const scores = said.map(answer => reasoningScore(answer, right, (given, wanted) => isMathEqual(wanted, given)))
  const accuracy = meanOf(scores.map(score => score.accuracy))
  const isUnread = said.every(answer => stripWhiteSpace(reasonedAnswer(answer)) === '')
  return {
    accuracy: isUnread ? unparsed('no answer in tags or a box, and no number at the end', accuracy) : accuracy,
    form: meanOf(scores.map(score => score.format)),
  }
}

/** Returns the same values under the names of metrics, the accuracy first. */
export function reasoningValues(
  answers: readonly Json[],
  right: string,
  [accuracyName, formName]: readonly [string, string] = ['acc_score', 'format_score'],
): Record<string, number | Verdict> {
  const { accuracy, form } = reasoningScores(answers, right)
  return { [accuracyName]: accuracy, [formName]: form }
}

/** The extracted answers (from tags, a box or the end of the text), trimmed, and the mean reward for their form. */
export function taggedAnswers(answers: readonly Json[]): { readonly said: readonly string[]; readonly form: number } {
  const given = answers.map(answer => text(answer, 'answer'))
  return {
    said: given.map(answer => stripWhiteSpace(reasonedAnswer(answer))),
    form: meanOf(given.map(formatReward)),
  }
}

export const meanOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / numbers.length
