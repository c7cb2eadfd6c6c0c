import { countItems } from '../../base/collections/counts.js'
import { lastBoxed } from '../../stages/judge/math/answer-boxes.js'

/** One of several answers to the same question. */
export interface SampledAnswer {
  readonly answer: string
  readonly isRight: boolean
}

/**
 * Values for the first 2, 4, 8 … answers. `cov@n` is 1 if one of them is correct. `maj@n` is 1 if the most frequent
 * answer is correct; the first one counts if several are equally frequent.
 */
export function valuesOfSamples(answers: readonly SampledAnswer[]): Readonly<Record<string, number>> {
  const values: Record<string, number> = {}
  for (let n = 2; n <= answers.length; n *= 2) {
    const first = answers.slice(0, n)
    values[`cov@${n}`] = Number(first.some(({ isRight }) => isRight))
    values[`maj@${n}`] = Number(mostGiven(first)?.isRight ?? false)
  }
  return values
}

/** `avg@n`: the share of correct answers among the first 2, 4, 8 … answers. */
export function sharesOfSamples(answers: readonly SampledAnswer[]): Readonly<Record<string, number>> {
  const shares: Record<string, number> = {}
  for (let n = 2; n <= answers.length; n *= 2)
    shares[`avg@${n}`] = answers.slice(0, n).filter(({ isRight }) => isRight).length / n
  return shares
}

function mostGiven(answers: readonly SampledAnswer[]): SampledAnswer | undefined {
  const counts = countItems(answers.map(({ answer }) => answer))
  const most = Math.max(...counts.values())
  return answers.find(({ answer }) => counts.get(answer) === most)
}

/**
 * Extracts the final answer: the last box, else the text after `Answer:`, else the whole answer. If a chat template
 * has split the answer into turns, the last one is used.
 *
 *
 * Source: simple-evals (OpenAI), as s1 (Muennighoff et al. 2025) and lmms-eval use it for AIME, MATH and GPQA.
 */
export function finalAnswer(answer: string): string {
  const part = answerPart(answer)
  return lastBoxed(part) ?? /answer\s*:\s*([\s\S]*)/i.exec(part)?.[1] ?? part
}

/** The text after the last turn `answer`, or after the first line of the last turn. */
function answerPart(answer: string): string {
  const turn = '<|im_start|>'
  const answers = answer.split(`${turn}answer\n`)
  if (answers.length > 1) return answers.at(-1) ?? ''
  const turns = answer.split(turn)
  const last = turns.at(-1) ?? ''
  return turns.length > 1 && last.includes('\n') ? last.slice(last.indexOf('\n') + 1) : last
}
