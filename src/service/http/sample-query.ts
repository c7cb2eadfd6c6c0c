/** The query of a page of samples. */
import { z } from '@hono/zod-openapi'
import { sampleKinds } from '../../reading/samples/sample-kinds.js'
import { cursor } from './json.js'

const condition = z.string().min(1).max(1_000)
const conditions = z
  .union([condition, z.array(condition).max(50)])
  .transform(value => (typeof value === 'string' ? [value] : value))
  .optional()

/** Filters and a page of a run's samples. */
export const pageQuery = z.object({
  only: z.enum(sampleKinds).default('all').openapi({ description: 'the kind of samples' }),
  against: z
    .string()
    .max(300)
    .optional()
    .openapi({ description: 'the run that `flipped`, `improved` and `worsened` compare with' }),
  task: z.string().max(300).optional(),
  docs: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .openapi({ description: 'ids or patterns, with commas between', example: 'q1,shapes_vqa/*' }),
  where: conditions.openapi({
    description: '`FIELD=VALUE` of the breakdown or of the row; may be repeated',
    example: 'subject=Art',
  }),
  score: conditions.openapi({ description: 'a condition on a metric; may be repeated', example: 'acc<1' }),
  answer: condition.optional().openapi({ description: 'a regular expression that an answer contains' }),
  cursor,
  limit: z.coerce.number().int().min(1).max(1000).default(100),
})
