import type { Doc } from '../../stages/input/tasks/doc.js'
import type { Json } from '../../base/values/canonical-json.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { extractMcqAnswer } from '../../stages/judge/helpers/multiple-choice.js'
import type { AggregationFunction } from '../../stages/judge/compile/scoring-spec.js'
import { meanOfGroups } from '../_shared/means.js'
import { text } from '../_shared/options.js'
import { objects } from '../_shared/values.js'

export { question } from '../_shared/question.js'

/** Scores whether the answer names the right option, with the type of its question. */
export function letterByType(doc: Doc, [answer = '']: readonly string[]): Record<string, Json | Verdict> {
  const [right, group] = [text(doc['answer'], 'answer'), text(doc['task_type'], 'task_type')]
  const named = extractMcqAnswer(answer, ['A', 'B', 'C', 'D'])
  const score = { group, score: Number(named === right) }
  return { mlvu_percetion_score: named === undefined ? unparsed('the answer names no option', score) : score }
}

const devTypes = ['anomaly_reco', 'count', 'ego', 'needle', 'order', 'plotQA', 'topic_reasoning']
const testTypes = [
  ...['anomaly_reco', 'count', 'ego', 'needleQA', 'order', 'plotQA'],
  ...['sportsQA', 'topic_reasoning', 'tutorialQA'],
]

export const meanOfDevTypes: AggregationFunction = (scores, context) => meanOfTypes(scores, devTypes, context)
export const meanOfTestTypes: AggregationFunction = (scores, context) => meanOfTypes(scores, testTypes, context)

/** The mean over types of question of the share that is right, in per cent; lmms-eval counts types without docs as 0. */
function meanOfTypes(
  scores: readonly Json[],
  types: readonly string[],
  { parity }: Parameters<AggregationFunction>[1],
): number {
  const absent = types.filter(type => !objects(scores).some(({ group }) => group === type))
  const zeros = parity === 'lmms-eval' ? absent.map(group => ({ group, score: 0 })) : []
  return 100 * meanOfGroups([...scores, ...zeros])
}
