/** Parts of route definitions that answer with JSON. */
import { z } from '@hono/zod-openapi'
import { refusals } from './problems.js'

/** An object whose fields the document does not describe one by one. */
export const anyObject = z.record(z.string(), z.unknown())

/** The responses of an operation: JSON of this schema, or a refusal. */
export const answers = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  200: { description, content: { 'application/json': { schema } } },
  ...refusals,
})

/** The parameter and the field of all pages. */
export const cursor = z.string().max(100).optional().openapi({ description: 'the `next_cursor` of the page before' })
/** The cursor of the next page, null on the last one. */
export const nextCursor = z
  .string()
  .nullable()
  .openapi({ description: 'the `cursor` of the next page; null after the last' })

/** Converts data to a JSON object without undefined fields. */
export const asObject = (value: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(value)) as Record<string, unknown>
