import type { JsonObject } from '../../cache/records.js'
import type { Doc, DocList } from '../../stages/input/tasks/doc.js'
import { judgeFailed, type Verdict } from '../../stages/judge/define/define-metric.js'
import type { AskJudge } from '../../stages/judge/define/judge-model.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { finalAnswer } from '../_shared/sampled-answers.js'
import { text } from '../_shared/options.js'
import { valuesOfSamples, type SampledAnswer } from '../_shared/sampled-answers.js'
import { matchingPrompt } from './matching-prompt.js'

/** Problem, solution and answer under the names that most of the data sets have. */
export const withCommonNames = (docs: DocList): DocList =>
  docs.map(doc => ({
    problem: doc['problem'] ?? doc['orig_problem'],
    solution: doc['solution'] ?? doc['orig_solution'] ?? null,
    answer: doc['answer'] ?? doc['orig_answer'],
  }))

export const problem = (doc: Doc): string => text(doc['problem'], 'problem')

type Values = Readonly<Record<string, number | readonly (string | number)[] | Verdict>>

/** `exact_match` of the first answer, word for word or as the judge model finds. */
export async function isRight(doc: JsonObject, [response = '']: readonly string[], context: Asking): Promise<Values> {
  const { exact_match, extracted_answers } = await rightOfSamples(doc, [response], context)
  return { exact_match, extracted_answers }
}

/** Scores whether one of the filtered answers is right. lmms-eval looks at the first one only. */
export async function isOneRight(doc: JsonObject, responses: readonly string[], context: Asking): Promise<Values> {
  const read = context.parity === 'lmms-eval' ? responses.slice(0, 1) : responses
  const { samples, failure } = await readAll(doc, read, context)
  const isFound = samples.some(sample => sample.isRight)
  return { exact_match: isFound ? 1 : (failure ?? 0) }
}

/** Scores several answers, with the values of {@link valuesOfSamples}. */
export async function rightOfSamples(
  doc: JsonObject,
  responses: readonly string[],
  context: Asking,
): Promise<Values & { readonly exact_match: number | Verdict; readonly extracted_answers: readonly string[] }> {
  const { samples, failure } = await readAll(doc, responses, context)
  const exact_matches = samples.map(sample => Number(sample.isRight))
  const values = valuesOfSamples(samples)
  return {
    ...(failure === undefined ? values : mapValues(values, failure)),
    exact_match: failure ?? exact_matches[0] ?? 0,
    extracted_answers: samples.map(({ answer }) => answer),
    exact_matches,
  }
}

type Asking = Pick<ScoringContext, 'ask' | 'parity'>

/** One after the other, since the judge model is shown the answers before. */
async function readAll(
  doc: JsonObject,
  responses: readonly string[],
  { ask }: Asking,
): Promise<{ readonly samples: readonly SampledAnswer[]; readonly failure: Verdict | undefined }> {
  const right = withoutLeadingZeros(text(doc['answer'], 'answer'))
  const samples: SampledAnswer[] = []
  let failure: Verdict | undefined
  for (const response of responses) {
    const given = finalAnswer(response)
    const settled = await settledAnswer(given, { right, before: samples.map(({ answer }) => answer), ask })
    if (typeof settled !== 'string') failure ??= settled
    const answer = typeof settled === 'string' ? settled : given
    samples.push({ answer, isRight: answer === right })
  }
  return { samples, failure }
}

interface Compared {
  readonly right: string
  /** The answers to the same question so far. */
  readonly before: readonly string[]
  readonly ask: AskJudge
}

/** The right answer, or one from before, where this one comes to the same; else as it is. */
async function settledAnswer(answer: string, { right, before, ask }: Compared): Promise<string | Verdict> {
  if (answer === right) return right
  if (areIntegers(answer, right)) return BigInt(answer) === BigInt(right) ? right : String(BigInt(answer))
  const options = [...new Set([right, ...before])]
  const reply = await ask({ messages: matchingPrompt(options, answer), temperature: 0.5 })
  if (reply.type === 'failed') return judgeFailed(reply.reason)
  const found = reply.text.trim()
  if (found === '-1') return answer
  const option = /^\d+$/.test(found) ? options[Number(found) - 1] : undefined
  return option ?? judgeFailed(`the judge model says neither -1 nor the number of an option, of ${options.length}`)
}

const mapValues = (values: Readonly<Record<string, number>>, verdict: Verdict): Record<string, Verdict> =>
  Object.fromEntries(Object.keys(values).map(name => [name, verdict]))

/** Writes integers without leading zeros, as in the right answer that the judge model sees. */
const withoutLeadingZeros = (answer: string): string => (areIntegers(answer) ? String(BigInt(answer)) : answer)

const areIntegers = (...answers: readonly string[]): boolean => answers.every(answer => /^\d+$/.test(answer))
