import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { firstCharacter } from '../../stages/judge/helpers/multiple-choice.js'
import { capitalised } from '../_shared/question.js'
import { letterScore } from '../_shared/letters.js'
import { lettered, text } from '../_shared/options.js'

/** The question, its options, and the request. An option that is the name of a picture's file is the model's mark for one. */
export function question(doc: Doc, kwargs: TaskKwargs): string {
  const mark = text(kwargs['img_token'], 'img_token')
  const options = ['choice_A', 'choice_B', 'choice_C', 'choice_D'].map(field => {
    const option = text(doc[field], field)
    return /jpg|png/.test(option) ? mark : option
  })
  return [text(doc['question'], 'question'), ...lettered(options), text(kwargs['post_prompt'], 'post_prompt')].join(
    '\n',
  )
}

/** 1 where the answer begins with the right letter: among the questions on pictures of the same type, and among all. */
export function score(doc: JsonObject, [answer]: readonly Json[]): Record<string, number | Verdict> {
  const first = firstCharacter(text(answer, 'answer')).toUpperCase()
  const value = letterScore(/^[A-D]$/.test(first) ? first : undefined, text(doc['answer'], 'answer').toUpperCase())
  const type = capitalised(text(doc['question_image_type'], 'question_image_type'))
  return { [`seedbench_2_plus_${type}`]: value, seedbench_2_plus_all: value }
}
