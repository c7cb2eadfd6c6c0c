/**
 * The form that an answer must have: the generation kwarg `response_format`, written as in OpenAI's chat completions.
 * Each protocol has its own field for it.
 */
import { isObject, type Json } from '../../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../../cache/records.js'
import { impossible } from './failure.js'

/** JSON of any form, or JSON that fits a schema. */
export type AnswerFormat = { readonly type: 'json_object' } | ({ readonly type: 'json_schema' } & SchemaFormat)

export interface SchemaFormat {
  readonly name: string
  readonly schema: JsonObject
  readonly strict?: boolean
}

/**
 * Reads `response_format`.
 *
 * @returns undefined if an answer may have any form
 * @throws AttemptError of class `invalid_request` for a form that is none of OpenAI's
 */
export function readAnswerFormat(value: Json | undefined): AnswerFormat | undefined {
  if (value === undefined || value === null) return undefined
  if (isObject(value)) {
    const { type, json_schema: jsonSchema } = value
    if (type === 'text') return undefined
    if (type === 'json_object') return { type }
    if (type === 'json_schema' && isObject(jsonSchema) && isObject(jsonSchema['schema'])) {
      const { name, schema, strict } = jsonSchema
      return {
        type,
        name: typeof name === 'string' ? name : 'answer',
        schema,
        ...(typeof strict === 'boolean' && { strict }),
      }
    }
  }
  throw impossible(
    'response_format: expected {type: json_schema, json_schema: {name: …, schema: {…}}}, {type: json_object} or {type: text}',
  )
}
