import type { Json } from '../../base/values/canonical-json.js'
import type { MetricInput } from '../../stages/judge/define/define-metric.js'

export { captionPrompt } from '../_shared/question.js'

/** A row of what the server takes. */
export const submission = ({ text: caption, record: { doc } }: MetricInput): Json => ({
  image_id: Number(doc['image_id']),
  caption,
})
