import { z } from 'zod'
import type { Json } from '../../../base/canonical-json.js'
import { isFunctionRef, type FunctionRef } from './function-ref.js'

/** What a value must be, in words, for messages. */
const expecting = <S extends z.ZodType>(expected: string, schema: S): S => schema.meta({ expected })

const functionRef = z.custom<FunctionRef>(isFunctionRef)
const json: z.ZodType<Json> = z.json()
const object = expecting('keys and values', z.record(z.string(), json))
const text = expecting('text', z.string())
const textOrFunction = expecting('a column, a template or !function', z.union([z.string(), z.number(), functionRef]))

export const outputTypes = [
  'generate_until',
  'loglikelihood',
  'multiple_choice',
  'generate_until_multi_round',
  'generate_until_agentic',
  'loglikelihood_rolling',
] as const

/** A metric or filter with its arguments, which the judge checks. */
const withArguments = (key: string, expected: string): z.ZodType<Record<string, unknown>> =>
  expecting(expected, z.looseObject({ [key]: z.union([z.string(), functionRef], 'expected text or !function') }))

const filterPipeline = z.strictObject({
  name: text,
  filter: expecting(
    'a list of filters, such as [{function: lowercase}]',
    z.array(withArguments('function', 'a filter, such as {function: lowercase}')),
  ),
})

/** The keys of a task file. Those that only other programs need (`metadata`) are kept and mean nothing here. */
export const taskSchema = z.strictObject({
  task: text,
  tag: expecting('text or a list of texts', z.union([z.string(), z.array(z.string())])).optional(),
  description: textOrFunction.optional(),
  metadata: expecting('keys and values', z.union([object, z.array(object)])).optional(),

  dataset_path: text,
  dataset_name: expecting('text', z.string().nullable()).optional(),
  dataset_kwargs: expecting('keys and values', z.record(z.string(), json).nullable()).optional(),
  test_split: text.optional(),
  validation_split: text.optional(),
  process_docs: expecting('!function', functionRef).optional(),

  output_type: expecting(`one of ${outputTypes.join(', ')}`, z.enum(outputTypes)).default('generate_until'),
  doc_to_text: textOrFunction.optional(),
  doc_to_visual: expecting(
    'a column, a list of columns, a template or !function',
    z.union([z.string(), z.array(z.string()), functionRef]),
  ).optional(),
  doc_to_messages: expecting('!function', functionRef).optional(),
  doc_to_target: expecting(
    'a column, a template, a number, a list of texts or !function',
    z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number()])), functionRef]),
  ).optional(),
  doc_to_choice: expecting(
    'a column, a template, a list of texts, keys with texts or !function (quote yes, no, on and off)',
    z.union([
      z.string(),
      z.array(z.union([z.string(), z.number().transform(String)])),
      functionRef,
      z.record(z.string(), z.string()),
    ]),
  ).optional(),
  target_delimiter: text.default(' '),
  lmms_eval_specific_kwargs: object.optional(),

  generation_kwargs: object.default({}),
  repeats: expecting('a whole number from 1', z.int().min(1)).default(1),

  process_results: expecting('!function', functionRef).optional(),
  metric_list: expecting(
    'a list of metrics, such as [{metric: exact_match}]',
    z.array(withArguments('metric', 'a metric, such as {metric: exact_match}')),
  ).optional(),
  filter_list: expecting('a list of {name, filter}', z.array(filterPipeline)).optional(),
  reasoning_tags: json.optional(),
  breakdown: expecting('a column or a list of columns', z.union([z.string(), z.array(z.string())])).optional(),
})

export type TaskConfig = z.output<typeof taskSchema>

export const taskKeys: readonly string[] = [...Object.keys(taskSchema.shape), 'include']

/** What the value of a top-level key must be, in words. */
export function expectedOf(key: string): string | undefined {
  const field = Object.entries(taskSchema.shape).find(([name]) => name === key)?.[1]
  let schema: z.ZodType | undefined = field
  while (schema !== undefined) {
    const expected = schema.meta()?.['expected']
    if (typeof expected === 'string') return expected
    schema =
      schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : undefined
  }
  return undefined
}
