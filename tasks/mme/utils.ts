import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { mmeCognition, mmePerception, mmeScore } from '../../stages/judge/metrics/mme.js'
import { yesOrNo } from '../../stages/judge/helpers/benchmarks/yes-no.js'
import { text } from '../_shared/options.js'
import { number, objects } from '../_shared/values.js'

export { withoutYesNoRequest as question } from '../_shared/question.js'

/** Scores the answer for the part of the benchmark that the doc belongs to. */
export function score(doc: JsonObject, [answer]: readonly Json[]): Record<string, Json | Verdict> {
  const category = text(doc['category'], 'category')
  const part = chooseScoreName(category)
  const said = yesOrNo(text(answer, 'answer'), 'prefix')
  const isRight = said !== undefined && said === readGold(doc)
  const value = { question_id: text(doc['question_id'], 'question_id'), category, score: Number(isRight) }
  return { [part]: said === undefined ? unparsed('the answer says neither yes nor no', value) : value }
}

function chooseScoreName(category: string): string {
  if (mmePerception.includes(category)) return 'mme_perception_score'
  if (mmeCognition.includes(category)) return 'mme_cognition_score'
  throw new Error(`MME has no category ${JSON.stringify(category)}`)
}

function readGold(doc: JsonObject): 'yes' | 'no' {
  const gold = yesOrNo(text(doc['answer'], 'answer').replaceAll('.', ''), 'exact')
  if (gold === undefined) throw new Error(`the field "answer" must be yes or no, not ${JSON.stringify(doc['answer'])}`)
  return gold
}

/** Over categories the sum of accuracy and accuracy+, in per cent each. @throws Error where a picture has one question alone. */
export const sumOfCategories = (values: readonly Json[]): number =>
  mmeScore(
    objects(values).map(value => ({
      category: text(value['category'], 'category'),
      picture: text(value['question_id'], 'question_id'),
      isRight: number(value['score'], 'score') === 1,
    })),
  )
