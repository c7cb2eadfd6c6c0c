import type { Json } from '../../base/values/canonical-json.js'
import type { MetricInput } from '../../stages/judge/define/define-metric.js'
import { text } from '../_shared/options.js'

/** A row of what the server takes. The docs are called by the files of their pictures: `COCO_test2014_000000000016.jpg` is picture 16. */
export function submission({ text: caption, record: { doc } }: MetricInput): Json {
  const file = text(doc['question_id'], 'question_id')
  const number = /(?:^|_)(\d+)(?:\.[^_]*)?$/.exec(file)?.[1]
  if (number === undefined)
    throw new Error(`the field "question_id" must end with the picture's number, not ${JSON.stringify(file)}`)
  return { image_id: Number(number), caption }
}
