import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { judgeFailed, unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import {
  extractMathVistaAnswer,
  isMathVistaAnswer,
  normaliseMathVistaAnswer,
  type MathVistaProblem,
} from '../../stages/judge/helpers/benchmarks/mathvista.js'
import type { AskJudge } from '../../stages/judge/define/judge-model.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { text, texts } from '../_shared/options.js'
import { extractionPrompt } from './extraction-prompt.js'
import { queryText, shotTypes, type Problem } from './query.js'

export { roundedPercent } from '../_shared/means.js'

export function query(doc: Doc, kwargs: TaskKwargs): string {
  const shotType = shotTypes.find(one => one === kwargs['shot_type'])
  if (shotType === undefined) throw new Error(`shot_type must be one of ${shotTypes.join(', ')}`)
  const problem: Problem = {
    question: text(doc['question'], 'question'),
    unit: text(doc['unit'] ?? '', 'unit'),
    choices: texts(doc['choices'] ?? [], 'choices'),
    questionType: text(doc['question_type'], 'question_type'),
    answerType: text(doc['answer_type'], 'answer_type'),
    precision: readPrecision(doc),
  }
  return queryText(problem, shotType)
}

/** 1 where the answer, taken out by a model where it does not stand alone, is the right one. */
export async function isRight(
  doc: JsonObject,
  [response = '']: readonly string[],
  { ask }: ScoringContext,
): Promise<Readonly<Record<string, number | Verdict>>> {
  const read = await readAnswer(doc, response, ask)
  if ('failed' in read) return { llm_as_judge_eval: read.failed }
  const { answer } = read
  if (answer === undefined) return { llm_as_judge_eval: unparsed('the answer is not of the form that was asked') }
  return { llm_as_judge_eval: Number(isMathVistaAnswer(answer, text(doc['answer'], 'answer'))) }
}

/** Makes the row that the benchmark's server takes: what was read from the answer. */
export async function submission(
  doc: JsonObject,
  [response = '']: readonly string[],
  { ask }: ScoringContext,
): Promise<Readonly<Record<string, Json | Verdict>>> {
  const read = await readAnswer(doc, response, ask)
  if ('failed' in read) return { submission: read.failed }
  const { pid = null, query = null, choices = null, question_type = null, answer_type = null, precision = null } = doc
  const problem = { question_id: pid, query, choices, question_type, answer_type, precision }
  return { submission: { ...problem, response, extraction: read.extraction, prediction: read.answer ?? null } }
}

type Read = { readonly extraction: string; readonly answer: string | undefined } | { readonly failed: Verdict }

async function readAnswer(doc: JsonObject, response: string, ask: AskJudge): Promise<Read> {
  const problem = readProblem(doc)
  const extraction = extractMathVistaAnswer(response, problem) ?? (await askFor(doc, response, ask))
  if (typeof extraction !== 'string') return { failed: extraction }
  return { extraction, answer: normaliseMathVistaAnswer(extraction, problem, readPrecision(doc)) }
}

async function askFor(doc: JsonObject, response: string, ask: AskJudge): Promise<string | Verdict> {
  const prompt = extractionPrompt(text(doc['query'], 'query'), response)
  const reply = await ask({ messages: prompt, maxTokens: 256 })
  if (reply.type === 'failed') return judgeFailed(reply.reason)
  const extracted = reply.text.trim()
  return extracted === '' ? judgeFailed('the judge model took no answer out of the response') : extracted
}

const readPrecision = (doc: Doc): number | null => (typeof doc['precision'] === 'number' ? doc['precision'] : null)

function readProblem(doc: JsonObject): MathVistaProblem {
  const questionType = text(doc['question_type'], 'question_type')
  const answerType = text(doc['answer_type'], 'answer_type')
  const choices = texts(doc['choices'] ?? [], 'choices')
  if (!isQuestionType(questionType) || !isAnswerType(answerType))
    throw new Error(`there is no rule for ${questionType} with an answer of type ${answerType}`)
  return { questionType, answerType, choices }
}

const isQuestionType = (value: string): value is MathVistaProblem['questionType'] =>
  value === 'multi_choice' || value === 'free_form'

const isAnswerType = (value: string): value is MathVistaProblem['answerType'] =>
  ['text', 'integer', 'float', 'list'].includes(value)
