import type { JsonObject } from '../../cache/records.js'
import type { Doc, DocList } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { withAsciiDigits } from '../../stages/judge/text/python-number.js'
import { finalAnswer } from '../_shared/sampled-answers.js'
import { sharesOfSamples, valuesOfSamples, type SampledAnswer } from '../_shared/sampled-answers.js'
import { text } from '../_shared/options.js'

/** Problem, solution and answer under the names that most datasets of the contest have. */
export const withCommonNames = (docs: DocList): DocList =>
  docs.map(doc => ({
    problem: doc['problem'] ?? doc['question'] ?? doc['Problem'],
    solution: doc['solution'] ?? doc['orig_solution'] ?? doc['Solution'] ?? null,
    answer: doc['answer'] ?? doc['orig_answer'] ?? doc['Answer'],
  }))

export const problem = (doc: Doc): string => text(doc['problem'] ?? doc['question'], 'problem')

type Values = Readonly<Record<string, number | readonly (string | number)[] | Verdict>>

/** `exact_match` of the first answer. `025` is 25. */
export function integerAnswers(doc: JsonObject, results: readonly string[]): Values {
  const answers = readAll(doc, results)
  const [first] = answers
  const isRead = first !== undefined && (first.isRight || /^\d+$/.test(first.answer))
  return {
    exact_match: isRead ? Number(first.isRight) : unparsed('the answer ends in no integer'),
    extracted_answers: answers.map(({ answer }) => answer),
  }
}

/** Scores several answers, with the values of {@link valuesOfSamples}. */
export function sampledAnswers(doc: JsonObject, results: readonly string[]): Values {
  const answers = readAll(doc, results)
  const exact_matches = answers.map(({ isRight }) => Number(isRight))
  return { ...valuesOfSamples(answers), ...integerAnswers(doc, results), exact_matches }
}

/** And the shares of right ones. */
export const sampledAnswersAndShares = (doc: JsonObject, results: readonly string[]): Values => ({
  ...sharesOfSamples(readAll(doc, results)),
  ...sampledAnswers(doc, results),
})

function readAll(doc: JsonObject, results: readonly string[]): readonly SampledAnswer[] {
  const right = rightAnswer(doc)
  return results.map(result => {
    const answer = withoutZeros(finalAnswer(result))
    return { answer, isRight: answer === right }
  })
}

/** Without zeros in front. */
export const rightAnswer = (doc: JsonObject): string => withoutZeros(answerText(doc['answer']))

/** Some datasets have the answer as a number. */
const answerText = (answer: unknown): string => (typeof answer === 'number' ? String(answer) : text(answer, 'answer'))

/** Digits of any script are digits. */
const withoutZeros = (answer: string): string =>
  /^\p{Nd}+$/u.test(answer) ? String(BigInt(withAsciiDigits(answer))) : answer
