import { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import { type FunctionRef, isFunctionRef, refsIn } from './function-ref.js'

/** Adds the description of the expected value, for messages. */
const withExpected = <S extends z.ZodType>(expected: string, schema: S): S => schema.meta({ expected })

const functionRef = z.custom<FunctionRef>(isFunctionRef)
/** The schema of any JSON. It finds functions first, so that the message names the line of each. */
const json = z.unknown().superRefine(refuseFunctions).pipe(z.json()) as z.ZodType<Json>
const object = withExpected('keys and values', z.record(z.string(), json))
const text = withExpected('text', z.string())
const textOrFunction = withExpected('a column, a template or !function', z.union([z.string(), z.number(), functionRef]))
const flag = withExpected('true or false', z.boolean())
const mediaOrFunction = withExpected(
  'a column, a list of columns, a template or !function',
  z.union([z.string(), z.array(z.string()), functionRef]),
)

const outputTypes = [
  'generate_until',
  'loglikelihood',
  'multiple_choice',
  'generate_until_multi_round',
  'generate_until_agentic',
  'loglikelihood_rolling',
  'generate_visual_cot',
] as const

const samplers = ['default', 'first_n'] as const

/** A metric or filter with its arguments, which the judge checks. Functions are called at the keys that are named. */
const withArguments = (keys: readonly [string, ...string[]], expected: string): z.ZodType<Record<string, unknown>> =>
  withExpected(
    expected,
    z
      .looseObject({ [keys[0]]: z.union([z.string(), functionRef], 'expected text or !function') })
      .superRefine((value, context) =>
        refuseFunctions(Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))), context),
      ),
  )

const filterPipeline = z.strictObject({
  name: text,
  filter: withExpected(
    'a list of filters, such as [{function: lowercase}]',
    z.array(
      withArguments(['function', 'filter_fn'], 'a filter, such as {function: lowercase}').transform(withoutCustom),
    ),
  ),
})

/** lm-evaluation-harness also writes `{function: custom, filter_fn: !function utils.f}` for `{function: !function utils.f}`. */
function withoutCustom({ filter_fn, ...filter }: Record<string, unknown>): Record<string, unknown> {
  if (filter['function'] === 'custom' && isFunctionRef(filter_fn)) return { ...filter, function: filter_fn }
  return filter_fn === undefined ? filter : { ...filter, filter_fn }
}

const docToTarget = withExpected(
  'a column, a template, a number, a list of texts or !function',
  z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number()])), functionRef]),
)
const docToChoice = withExpected(
  'a column, a template, a list of texts, keys with texts or !function (quote yes, no, on and off)',
  z.union([
    z.string(),
    z.array(z.union([z.string(), z.number().transform(String)])).min(1),
    functionRef,
    z.record(z.string(), z.string()).refine(choices => Object.keys(choices).length > 0),
  ]),
)

/**
 * The selection and the wording of examples. `samples` are docs used instead of a split's. Absent keys default to the task's. The keys are those of
 * lm-evaluation-harness 0.4.13 (lm_eval/config/task.py, FewshotConfig).
 */
const fewshotShape = {
  sampler: withExpected(`one of ${samplers.join(', ')}`, z.enum(samplers)).default('default'),
  samples: withExpected('a list of docs or !function', z.union([z.array(object), functionRef]).nullable()).optional(),
  split: text.nullable().optional(),
  process_docs: withExpected('!function', functionRef.nullable()).optional(),
  fewshot_indices: withExpected('a list of whole numbers from 0', z.array(z.int().min(0)).nullable()).optional(),
  doc_to_text: textOrFunction.nullable().optional(),
  doc_to_target: docToTarget.nullable().optional(),
  doc_to_choice: docToChoice.nullable().optional(),
  gen_prefix: textOrFunction.nullable().optional(),
  fewshot_delimiter: text.nullable().optional(),
  target_delimiter: text.nullable().optional(),
}

/** `null` counts as absent. */
const fewshotConfig = z
  .strictObject(fewshotShape)
  .transform(
    config => Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null)) as FewshotConfig,
  )

type FewshotConfig = {
  readonly [Key in keyof typeof fewshotShape]?: Exclude<z.output<(typeof fewshotShape)[Key]>, null | undefined>
} & { readonly sampler: (typeof samplers)[number] }

const question = {
  doc_to_text: textOrFunction.optional(),
  doc_to_visual: mediaOrFunction.optional(),
  doc_to_messages: withExpected('!function', functionRef).optional(),
}

/** The keys that choose docs of a dataset. */
const docChoice = {
  validation_split: text.optional(),
  test_split: text.optional(),
  fewshot_split: text.optional(),
  process_docs: withExpected('!function', functionRef).optional(),
}

/** The keys that differ if the docs and prompts of another program are wanted. Rules of scoring get the parity as an argument instead. */
const parityShape = { 'lmms-eval': z.strictObject({ ...docChoice, ...question }).optional() }

/** The programs whose docs and prompts a task file may define beside its own. */
export type ParityProgram = keyof typeof parityShape

/** The keys of a task file. Keys that only other programs use (`metadata`) are accepted and ignored. */
export const taskSchema = z.strictObject({
  task: text,
  task_alias: text.optional(),
  tag: withExpected('text or a list of texts', z.union([z.string(), z.array(z.string())])).optional(),
  group: withExpected('text or a list of texts', z.union([z.string(), z.array(z.string())])).optional(),
  description: textOrFunction.optional(),
  metadata: withExpected('keys and values', z.union([object, z.array(object)])).optional(),

  dataset_path: text,
  dataset_name: withExpected('text', z.string().nullable()).optional(),
  dataset_kwargs: withExpected('keys and values', z.record(z.string(), json).nullable()).optional(),
  training_split: text.optional(),
  ...docChoice,
  /** A class in Python that makes the docs. */
  class: withExpected('!function module.Class, a class in Python', functionRef).optional(),
  /** lm-evaluation-harness's function in Python that makes the docs. */
  custom_dataset: withExpected('!function, a function in Python', functionRef).optional(),

  output_type: withExpected(`one of ${outputTypes.join(', ')}`, z.enum(outputTypes)).default('generate_until'),
  ...question,
  /** lm-evaluation-harness's name of `doc_to_visual`. */
  doc_to_image: mediaOrFunction.optional(),
  doc_to_audio: mediaOrFunction.optional(),
  doc_to_target: docToTarget.optional(),
  doc_to_choice: docToChoice.optional(),
  /** The beginning of the answer, which is shown to the model and is not part of its output. */
  gen_prefix: textOrFunction.optional(),
  target_delimiter: text.default(' '),
  fewshot_delimiter: text.nullable().default('\n\n'),
  num_fewshot: withExpected('a whole number from 0', z.int().min(0)).optional(),
  fewshot_config: withExpected(
    `keys and values: sampler (${samplers.join(', ')}), ${Object.keys(fewshotShape).slice(1).join(', ')}`,
    fewshotConfig,
  ).optional(),
  lmms_eval_specific_kwargs: object.optional(),
  model_specific_generation_kwargs: object.optional(),
  model_specific_target_kwargs: object.optional(),

  generation_kwargs: object.optional(),
  repeats: withExpected('a whole number from 1', z.int().min(1)).default(1),
  repeat_tools: withExpected(
    'tools with true or false, such as {pay: false}; "*" for all others',
    z.record(z.string(), z.boolean()),
  ).optional(),

  process_results: withExpected('!function', functionRef).optional(),
  metric_list: withExpected(
    'a list of metrics, such as [{metric: exact_match}]',
    z.array(withArguments(['metric', 'aggregation'], 'a metric, such as {metric: exact_match}')),
  ).optional(),
  filter_list: withExpected('a list of {name, filter}', z.array(filterPipeline)).optional(),
  normalizers: withExpected(
    'lists of normalisers by language, such as {cantonese: [simplified_chinese, whisper_basic]}',
    z.record(z.string(), z.array(z.union([z.string(), object]))),
  ).optional(),
  reasoning_tags: json.optional(),
  breakdown: withExpected('a column or a list of columns', z.union([z.string(), z.array(z.string())])).optional(),
  cluster_key: text.optional(),
  score_key: text.optional(),
  score_attempts: withExpected('a list of latency and cost', z.array(z.enum(['latency', 'cost']))).optional(),

  /** Keys that replace those of the file when the docs and prompts of another program are wanted. */
  parity: withExpected(
    'keys by program, such as {lmms-eval: {test_split: validation}}',
    z.strictObject(parityShape),
  ).optional(),

  // Accepted and ignored, so that files of other programs can be read.
  auto_strip_thinking: flag.optional(),
  doc_to_decontamination_query: textOrFunction.optional(),
  full_docs: flag.optional(),
  process_results_use_image: flag.optional(),
  should_decontaminate: flag.optional(),
  unsafe_code: flag.optional(),
  use_prompt: text.optional(),
})

/** A function at these keys would never be called. */
function refuseFunctions(value: unknown, context: z.RefinementCtx): void {
  for (const { ref, path } of refsIn(value))
    context.addIssue({
      code: 'custom',
      path: [...path],
      message: 'expected a text, a number, true, false, a list, or keys and values',
      input: ref,
    })
}

export type TaskConfig = z.output<typeof taskSchema>

export const taskKeys: readonly string[] = [...Object.keys(taskSchema.shape), 'include']

/** The keys within `parity`: programs, and what they replace. */
export const parityKeys: readonly string[] = [parityShape, docChoice, question].flatMap(shape => Object.keys(shape))

/** Keys for which `null` is a value. For all others it counts as absent. */
export const nullKeys: ReadonlySet<string> = new Set(['fewshot_delimiter', 'task'])

/** Describes the expected value of a top-level key. */
export const describeExpected = (key: string, schema: z.ZodObject = taskSchema): string | undefined =>
  expectedIn(Object.entries(schema.shape).find(([name]) => name === key)?.[1] as z.ZodType | undefined)

function expectedIn(field: z.ZodType | undefined): string | undefined {
  const expected = field?.meta()?.['expected']
  if (typeof expected === 'string') return expected
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault || field instanceof z.ZodNullable
    ? expectedIn(field.unwrap() as z.ZodType)
    : undefined
}

/** One number of a group, computed from a metric of its tasks. */
const aggregateRule = z.strictObject({
  metric: withExpected('text', z.string()),
  aggregation: z
    .union([z.literal('mean'), z.custom<FunctionRef>(isFunctionRef)], 'expected mean or !function')
    .default('mean'),
  weight_by_size: z.boolean().default(false),
  /** Names of filter pipelines; by default all that the tasks have. */
  filter_list: z
    .union([z.string().transform(name => [name]), z.array(z.string())], 'expected a text or a list of texts')
    .optional(),
})

/** A group file's own keys. All others override the keys of its tasks. */
export const groupSchema = z.strictObject({
  group: withExpected('text', z.string().min(1)),
  group_alias: withExpected('text', z.string()).nullish(),
  task: withExpected(
    'a list of tasks: names, or keys and values',
    z.array(
      z.union([z.string(), z.record(z.string(), z.unknown())], 'expected the name of a task, or keys and values'),
    ),
  ),
  aggregate_metric_list: withExpected(
    'a list of {metric, aggregation, weight_by_size, filter_list}',
    // A single rule needs no list, as in lm-evaluation-harness.
    z.preprocess(
      value => (typeof value === 'object' && value !== null && 'metric' in value ? [value] : value),
      z.array(aggregateRule).nullish(),
    ),
  ).optional(),
  metadata: z.unknown().optional(),
})

export type GroupConfig = z.output<typeof groupSchema>

export const groupKeys: readonly string[] = Object.keys(groupSchema.shape)

/** Finds rules that would overwrite earlier ones: the same metric after the same filters. */
export function doubledRules({ aggregate_metric_list: rules }: GroupConfig): readonly number[] {
  const isDoubled = (index: number): boolean =>
    rules?.slice(0, index).some(before => {
      const now = rules[index]
      const { metric, filter_list: filters } = before
      if (now?.metric !== metric) return false
      return filters === undefined || now.filter_list?.some(name => filters.includes(name)) !== false
    }) === true
  return [...(rules ?? []).keys()].filter(isDoubled)
}
