import { lastBoxed } from '../../stages/judge/math/math-answer.js'

/**
 * What an answer comes to: the last box, else all that stands behind `Answer:`, else all of it; of an answer that a chat template has
 * parted into turns, of its last part.
 *
 * Source: simple-evals (OpenAI), as s1 (Muennighoff et al. 2025) and lmms-eval use it for AIME, MATH and GPQA.
 */
export function finalAnswer(answer: string): string {
  const part = answerPart(answer)
  return lastBoxed(part) ?? /answer\s*:\s*([\s\S]*)/i.exec(part)?.[1] ?? part
}

/** What follows the last turn `answer`, or the first line of the last turn. */
function answerPart(answer: string): string {
  const turn = '<|im_start|>'
  const answers = answer.split(`${turn}answer\n`)
  if (answers.length > 1) return answers.at(-1) ?? ''
  const turns = answer.split(turn)
  const last = turns.at(-1) ?? ''
  return turns.length > 1 && last.includes('\n') ? last.slice(last.indexOf('\n') + 1) : last
}
