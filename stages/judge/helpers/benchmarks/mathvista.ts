/**
 * MathVista: the comparison of answers, and the part of the answer extraction that needs no model.
 *
 * Sources: Lu et al. 2023 (https://arxiv.org/abs/2310.02255), `evaluation/extract_answer.py` and
 * `calculate_score.py`; lmms-eval 0.7.2, `tasks/mathvista/mathvista_evals.py`.
 */
import { stripWhiteSpace } from '../../../../base/python/white-space.js'
import { codePointDistance } from '../../text/code-points.js'
import { parsePythonFloat, parsePythonInt, pythonFloatText, pythonRound } from '../../text/python-number.js'

export interface MathVistaProblem {
  readonly questionType: 'multi_choice' | 'free_form'
  readonly answerType: 'text' | 'integer' | 'float' | 'list'
  readonly choices: readonly string[]
}

/**
 * The answer in a response that consists only of the answer: a choice's text, or a number as Python writes it.
 * Undefined if a judge model must extract it. An empty response is an empty answer.
 */
export function extractMathVistaAnswer(response: string, problem: MathVistaProblem): string | undefined {
  if (response === '') return ''
  if (problem.questionType === 'multi_choice' && problem.choices.includes(response)) return response
  if (problem.answerType === 'integer') return parsePythonInt(response)?.toString()
  if (problem.answerType !== 'float') return undefined
  const number = parsePythonFloat(response)
  return number === undefined ? undefined : pythonFloatText(number)
}

/**
 * Converts an extracted answer to the form of the problem's target; undefined if that is not possible. For a choice
 * it is the text of the letter in the answer, else the choice with the smallest edit distance. The first of equal
 * choices counts, and an empty answer matches none. For numbers it is the whole part, or the value rounded to
 * `precision` places, as Python writes it. A `precision` of null means no decimal places.
 */
export function normaliseMathVistaAnswer(
  extraction: string,
  problem: MathVistaProblem,
  precision: number | null,
): string | undefined {
  if (problem.questionType === 'multi_choice') return chooseOption(stripWhiteSpace(extraction), problem.choices)
  if (problem.answerType !== 'integer' && problem.answerType !== 'float') return extraction
  const number = parsePythonFloat(extraction)
  if (number === undefined) return undefined
  if (problem.answerType === 'integer') return wholeText(Math.trunc(number))
  return precision === null ? wholeText(pythonRound(number, 0)) : pythonFloatText(pythonRound(number, precision))
}

const wholeText = (number: number): string | undefined =>
  Number.isFinite(number) ? BigInt(number).toString() : undefined

function chooseOption(extraction: string, choices: readonly string[]): string | undefined {
  if (extraction === '') return undefined
  const letter = /\(([a-zA-Z])\)/.exec(extraction)?.[1]?.toUpperCase() ?? extraction
  const index = letter.length === 1 ? letter.charCodeAt(0) - 65 : -1
  const namedChoice = choices[index]
  if (namedChoice !== undefined) return namedChoice
  const distances = choices.map(choice => codePointDistance(letter, choice))
  return choices[distances.indexOf(Math.min(...distances))]
}

/** Returns whether an answer and its target are equal, apart from white space at the ends. */
export const isMathVistaAnswer = (prediction: string, target: string): boolean =>
  stripWhiteSpace(prediction) === stripWhiteSpace(target)
