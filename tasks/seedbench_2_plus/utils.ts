import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { capitalised } from '../_shared/question.js'
import { firstOfFour, letterScore, namedLetter } from '../_shared/letters.js'
import { lettered, text } from '../_shared/options.js'

const fields = ['choice_A', 'choice_B', 'choice_C', 'choice_D']

/** The question, its options, and the request. An option that is the name of a picture's file is the model's mark for one. */
export function question(doc: Doc, kwargs: TaskKwargs): string {
  const mark = text(kwargs['img_token'], 'img_token')
  const options = fields.map(field => {
    const option = text(doc[field], field)
    return /jpg|png/.test(option) ? mark : option
  })
  return [text(doc['question'], 'question'), ...lettered(options), text(kwargs['post_prompt'], 'post_prompt')].join(
    '\n',
  )
}

/** 1 where the answer names the right option: among the questions on pictures of the same type, and among all. */
export function score(
  doc: JsonObject,
  [answer]: readonly Json[],
  { parity }: Pick<ScoringContext, 'parity'> = {},
): Record<string, number | Verdict> {
  const named = namedLetter(text(answer, 'answer'), fields.length, { parity, byScript: firstOfFour })
  const value = letterScore(named, text(doc['answer'], 'answer').toUpperCase())
  const type = capitalised(text(doc['question_image_type'], 'question_image_type'))
  return { [`seedbench_2_plus_${type}`]: value, seedbench_2_plus_all: value }
}
