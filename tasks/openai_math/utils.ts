import type { JsonObject } from '../../cache/records.js'
import type { Doc, DocList } from '../../stages/input/tasks/doc.js'
import { judgeFailed, type Verdict } from '../../stages/judge/define-metric.js'
import type { ScoringContext } from '../../stages/judge/scoring-spec.js'
import { finalAnswer } from '../_shared/final-answer.js'
import { text } from '../_shared/options.js'
import { matchingPrompt } from './matching-prompt.js'

/** Problem, solution and answer under the names that most of the data sets have. */
export const withCommonNames = (docs: DocList): DocList =>
  docs.map(doc => ({
    problem: doc['problem'] ?? doc['orig_problem'],
    solution: doc['solution'] ?? doc['orig_solution'] ?? null,
    answer: doc['answer'] ?? doc['orig_answer'],
  }))

export const problem = (doc: Doc): string => text(doc['problem'], 'problem')

/** 1 where the answer is the right one, word for word or as the judge model finds. */
export async function isRight(
  doc: JsonObject,
  [response = '']: readonly string[],
  { ask }: ScoringContext,
): Promise<Readonly<Record<string, number | readonly string[] | Verdict>>> {
  const right = text(doc['answer'], 'answer')
  const answer = finalAnswer(response)
  const extracted_answers = [answer]
  if (answer === right) return { exact_match: 1, extracted_answers }
  if (areIntegers(answer, right)) return { exact_match: Number(BigInt(answer) === BigInt(right)), extracted_answers }
  const reply = await ask({ messages: matchingPrompt([right], answer), temperature: 0.5 })
  if (reply.type === 'failed') return { exact_match: judgeFailed(reply.reason), extracted_answers }
  const found = reply.text.trim()
  if (found !== '1' && found !== '-1')
    return { exact_match: judgeFailed('the judge model says neither 1 nor -1'), extracted_answers }
  return { exact_match: Number(found === '1'), extracted_answers }
}

const areIntegers = (...answers: readonly string[]): boolean => answers.every(answer => /^\d+$/.test(answer))
