import type { JsonObject } from '../../cache/records.js'
import type { Doc, DocList } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define-metric.js'
import { finalAnswer } from '../_shared/final-answer.js'
import { valuesOfSamples } from '../_shared/sampled-answers.js'
import { text } from '../_shared/options.js'

/** Problem, solution and answer under the names that most datasets of the contest have. */
export const withCommonNames = (docs: DocList): DocList =>
  docs.map(doc => ({
    problem: doc['problem'] ?? doc['question'],
    solution: doc['solution'] ?? doc['orig_solution'] ?? null,
    answer: doc['answer'] ?? doc['orig_answer'],
  }))

export const problem = (doc: Doc): string => text(doc['problem'] ?? doc['question'], 'problem')

/** `exact_match` of the first answer; of several ones also what {@link valuesOfSamples} says. `025` is 25. */
export function integerAnswers(
  doc: JsonObject,
  results: readonly string[],
): Readonly<Record<string, number | readonly (string | number)[] | Verdict>> {
  const right = withoutZeros(answerText(doc['answer']))
  const answers = results.map(result => {
    const answer = withoutZeros(finalAnswer(result))
    return { answer, isRight: answer === right }
  })
  const [first] = answers
  const isRead = first !== undefined && (first.isRight || /^\d+$/.test(first.answer))
  return {
    ...valuesOfSamples(answers),
    exact_match: isRead ? Number(first.isRight) : unparsed('the answer ends in no integer'),
    extracted_answers: answers.map(({ answer }) => answer),
    ...(answers.length > 1 && { exact_matches: answers.map(({ isRight }) => Number(isRight)) }),
  }
}

/** Some datasets have the answer as a number. */
const answerText = (answer: unknown): string => (typeof answer === 'number' ? String(answer) : text(answer, 'answer'))

const withoutZeros = (answer: string): string => (/^\d+$/.test(answer) ? String(BigInt(answer)) : answer)
