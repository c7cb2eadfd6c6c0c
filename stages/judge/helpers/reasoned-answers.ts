/**
 * Answers of models that reason first, and their reward.
 *
 * Source: lmms-eval 0.7.2, `tasks/_task_utils/reasoning_utils.py`.
 */
import { pythonRegex } from '../../../base/python/python-regex.js'
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import { codePointCount } from '../text/code-points.js'
import { parseMcq } from './multiple-choice.js'

const opening = '\\boxed{'

/** The content of the last `\boxed{…}` with balanced braces; undefined if there is none. */
export function lastBoxed(text: string): string | undefined {
  for (
    let start = text.lastIndexOf(opening);
    start >= 0;
    start = start === 0 ? -1 : text.lastIndexOf(opening, start - 1)
  ) {
    const content = start + opening.length
    const end = closingBrace(text, content)
    if (end !== undefined) return text.slice(content, end)
  }
  return undefined
}

/** The position of the brace that closes the one which is open at `from`. */
function closingBrace(text: string, from: number): number | undefined {
  let depth = 1
  for (let i = from; i < text.length; i++) {
    if (text.charAt(i) === '{') depth += 1
    else if (text.charAt(i) === '}') depth -= 1
    if (depth === 0) return i
  }
  return undefined
}

const tagged = pythonRegex('(?s)<answer>(.*?)</answer>')
const lastNumber = pythonRegex(String.raw`\b(\d+(?:\.\d+)?)\b(?:\s*\.?\s*$)`)

/**
 * The content of the first `<answer>…</answer>`, else of the last box, else the number that ends the last line with
 * one.
 */
export function reasonedAnswer(text: string): string {
  const answer = tagged.exec(text)?.[1]
  if (answer !== undefined) return answer
  const boxed = lastBoxed(text)
  if (boxed !== undefined && boxed !== '') return boxed
  const lines = stripWhiteSpace(text).split('\n').reverse()
  return lines.map(line => lastNumber.exec(line)?.[1]).find(number => number !== undefined) ?? ''
}

const wellFormed = pythonRegex(
  '(?s)^(?:<think>.*</think>.*<answer>.*</answer>|<analysis>.*</analysis>.*<answer>.*</answer>)\\Z',
)
const mathMark = /[=+\-*/()[\]\\]/

/**
 * The reward for the form: 1 for tagged reasoning and answer, or for a box. It is 0.8 for more than 50 characters
 * with mathematical signs and an answer, else 0.
 */
export function formatReward(text: string): number {
  if (wellFormed.test(text)) return 1
  const boxed = lastBoxed(text)
  if (boxed !== undefined && boxed !== '') return 1
  const isLong = codePointCount(stripWhiteSpace(text)) > 50
  return isLong && mathMark.test(text) && reasonedAnswer(text) !== '' ? 0.8 : 0
}

/** Removes a final dot and white space at both ends. */
export const withoutLastDot = (text: string): string => stripWhiteSpace(text.endsWith('.') ? text.slice(0, -1) : text)

/**
 * Returns whether an answer is right by a relaxed rule. If the gold answer names an option, the options must be equal.
 * Else one text must contain the other and have at least `portion` of its length, or both are equal apart from white
 * space at the ends.
 */
export function isRelaxedAnswer(prediction: string, gold: string, portion = 0.9): boolean {
  const option = parseMcq(gold)
  if (option !== undefined) return parseMcq(prediction) === option
  const [predictionLength, goldLength] = [codePointCount(prediction), codePointCount(gold)]
  if (gold.includes(prediction) && predictionLength >= portion * goldLength) return true
  if (prediction.includes(gold) && goldLength >= portion * predictionLength) return true
  return stripWhiteSpace(prediction) === stripWhiteSpace(gold)
}

interface ReasoningScore {
  /** The weighted sum: 0.9 of the accuracy and 0.1 of the form. */
  readonly score: number
  readonly accuracy: number
  readonly format: number
  /** The answer that was extracted from the solution. */
  readonly prediction: string
}

/** The reward of a solution. `isEqual` compares two different texts mathematically. */
export function reasoningScore(
  solution: string,
  gold: string,
  isEqual: (prediction: string, gold: string) => boolean,
): ReasoningScore {
  const prediction = withoutLastDot(stripWhiteSpace(reasonedAnswer(solution)))
  const wanted = withoutLastDot(gold)
  const accuracy = isRelaxedAnswer(prediction, wanted) || isEqual(prediction, wanted) ? 1 : 0
  const format = formatReward(solution)
  return { score: (1 - 0.1) * accuracy + 0.1 * format, accuracy, format, prediction }
}
