import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import { judgeFailed, scored, type Verdict } from '../../stages/judge/define/define-metric.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { parsePythonFloat } from '../../stages/judge/text/python-number.js'
import { text } from '../_shared/options.js'
import { gradingPrompt } from './grading-prompt.js'

export { question } from '../_shared/question.js'

/** The doc's picture, where it has one. */
export const picture = (doc: Doc): unknown => doc['image'] ?? []

/** A judge that gives no grade is asked again with more freedom, as the benchmark does. */
const temperatures = [0, 0.5, 1, 1.5]

/** The judge's grade from 0 to 1. The benchmark's score is the mean, times 100. */
export async function grade(
  doc: Doc,
  [answer = '']: readonly string[],
  { ask, parity }: Pick<ScoringContext, 'ask' | 'parity'>,
): Promise<{ readonly gpt_eval_score: Verdict }> {
  const messages = promptFor(doc, answer)
  const replies: string[] = []
  for (const temperature of temperatures) {
    const reply = await ask({ messages, maxTokens: 128, temperature })
    if (reply.type === 'failed') return { gpt_eval_score: judgeFailed(reply.reason) }
    const value = gradeIn(reply.text)
    if (value !== undefined) return { gpt_eval_score: scored(value) }
    replies.push(reply.text)
  }
  if (parity === 'lmms-eval') return { gpt_eval_score: scored(0) }
  return { gpt_eval_score: judgeFailed(`the judge gives no grade from 0 to 1, but ${JSON.stringify(replies[0])}`) }
}

function promptFor(doc: Doc, answer: string): string {
  const truth = text(doc['answer'], 'answer').replaceAll('<AND>', ' <AND> ').replaceAll('<OR>', ' <OR> ')
  return `${gradingPrompt}\n${text(doc['question'], 'question')} | ${truth} | ${answer} |`
}

/** The number with which a reply begins: `0.5`, `1.0 because…`. */
function gradeIn(reply: string): number | undefined {
  const [first = ''] = stripWhiteSpace(reply).split(' ')
  const value = parsePythonFloat(first)
  return value !== undefined && value >= 0 && value <= 1 ? value : undefined
}
