import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Json } from '../../base/canonical-json.js'
import { unparsed, type Verdict } from '../../stages/judge/define-metric.js'
import { extractMcqAnswer } from '../../stages/judge/helpers/multiple-choice.js'
import { meanOfGroups } from '../_shared/mean-of-groups.js'
import { text } from '../_shared/options.js'

export { question } from '../_shared/question.js'

/** Whether the answer names the right option, with the type of its question. */
export function letterByType(doc: Doc, [answer = '']: readonly string[]): Record<string, Json | Verdict> {
  const [right, group] = [text(doc['answer'], 'answer'), text(doc['task_type'], 'task_type')]
  const named = extractMcqAnswer(answer, ['A', 'B', 'C', 'D'])
  const score = { group, score: Number(named === right) }
  return { mlvu_percetion_score: named === undefined ? unparsed('the answer names no option', score) : score }
}

/** The mean over types of question of the share that is right, in per cent. */
export const meanOfTypes = (scores: readonly Json[]): number => 100 * meanOfGroups(scores)
