import { pythonRegex } from '../../base/python/python-regex.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import { judgeFailed, unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { lettered, text, texts } from '../_shared/options.js'
import { rightContent } from './altered-options.js'
import { matchingPrompt } from './matching-prompt.js'

export { question } from '../_shared/question.js'
export { rightContent } from './altered-options.js'

const marks = pythonRegex(String.raw`[^\w\s]`, 'g')
const spaces = pythonRegex(String.raw`\s+`, 'g')

const plain = (said: string): string => stripWhiteSpace(said.toLowerCase()).replace(marks, '').replace(spaces, ' ')

/**
 * Scores whether the answer contains the text of the right option, or that text the answer, without regard to letter case and marks. lmms-eval
 * takes an empty answer for right.
 */
export function holdsRight(
  doc: Doc,
  [answer = '']: readonly string[],
  { parity }: Pick<ScoringContext, 'parity'>,
): Record<string, number | Verdict> {
  const [right, given] = [plain(rightContent(doc)), plain(answer)]
  if (given === '' && parity === undefined) return { acc_score: unparsed('the answer says nothing') }
  return { acc_score: Number(given.includes(right) || right.includes(given)) }
}

/** Asks the judge model whether the answer comes to the right option, and whether to any. */
export async function comesToRight(
  doc: JsonObject,
  [answer = '']: readonly string[],
  { ask }: Pick<ScoringContext, 'ask'>,
): Promise<Record<string, number | Verdict>> {
  const prompt = matchingPrompt({ question: text(doc['question'], 'question'), answer, options: readOptions(doc) })
  const reply = await ask({ messages: prompt, maxTokens: 10 })
  const named = reply.type === 'failed' ? undefined : /(?<![A-Z])[ABCDX](?![A-Z])/.exec(reply.text.toUpperCase())?.[0]
  if (named === undefined) {
    const failed = judgeFailed(reply.type === 'failed' ? reply.reason : 'the judge model names no option, and not X')
    return { acc_score: failed, llm_match_score: failed }
  }
  return {
    acc_score: Number(named === text(doc['answer'], 'answer').toUpperCase()),
    llm_match_score: Number(named !== 'X'),
  }
}

/** Reads the options, with letters of one form. */
const readOptions = (doc: JsonObject): readonly string[] =>
  lettered(
    texts(doc['options'], 'options').map(option =>
      stripWhiteSpace(stripWhiteSpace(option).replace(/^[A-Da-d][.):]/, '')),
    ),
  )
