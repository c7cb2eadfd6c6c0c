import { z } from 'zod'
import { PipelineError } from '../../base/errors/errors.js'
import { didYouMean } from '../../base/text/suggest.js'
import { programKeys } from '../config/option.js'
import { plainOptions } from '../config/options.js'
import { isTaskValue } from '../../stages/input/tasks/task-value.js'
import type { EvaluateOptions } from './evaluate-options.js'
import { isJudgeValue, isModelValue } from './values.js'

const texts = (what: string): z.ZodType => z.array(z.string()).describe(`a list of ${what}`).optional()
const callback = z.custom(value => typeof value === 'function').describe('a function')
const signal = z.instanceof(AbortSignal).describe('an AbortSignal')
const modelValue = z.custom(isModelValue)
const taskValue = z.custom(isTaskValue)
const judgeValue = z.custom(isJudgeValue)
const args = z.record(z.string(), z.unknown()).describe('an object of arguments')
const works = z.boolean().optional()

/** The schema of the options. Its descriptions are used in error messages. */
const optionsSchema = z.strictObject({
  store: z
    .union([z.string(), z.custom(value => typeof value === 'object' && value !== null)])
    .describe('a folder, or a store that is open')
    .optional(),
  model: z.union([z.string(), modelValue]).describe('a model, or the name of a model backend'),
  modelArgs: args.optional(),
  tasks: z
    .array(z.union([z.string(), taskValue]))
    .nonempty()
    .describe('a list of tasks'),
  genKwargs: z.record(z.string(), z.json().optional()).describe('an object of generation kwargs').optional(),
  ...programKeys(plainOptions),
  judge: z.union([modelValue, judgeValue]).describe('a model').optional(),
  judgeArgs: args.optional(),
  includePaths: texts('folders'),
  plugins: texts('files and packages'),
  stages: z
    .strictObject({ input: works, model: works, judge: works })
    .describe('an object of input, model and judge, each true or false')
    .optional(),
  onEvent: callback.optional(),
  onRun: callback.optional(),
  signal: signal.optional(),
  drain: signal.optional(),
  stop: signal.optional(),
} satisfies Record<keyof EvaluateOptions, z.ZodType>)

/**
 * Rejects options of the wrong type, which TypeScript would not find in a JavaScript program.
 *
 * @throws PipelineError that names every mistake
 */
export function checkOptions(options: EvaluateOptions): void {
  const parsed = optionsSchema.safeParse(options)
  if (parsed.success) return
  const problems = parsed.error.issues.flatMap(issue => problemsOf(issue, options))
  throw new PipelineError('usage', [...new Set(problems)])
}

function problemsOf(issue: z.core.$ZodIssue, options: EvaluateOptions): string[] {
  const [name] = issue.path
  if (name === undefined && issue.code === 'unrecognized_keys')
    return issue.keys.map(key => `options.${key}: no such option.${didYouMean(key, Object.keys(optionsSchema.shape))}`)
  const [field] = Object.entries(optionsSchema.shape).filter(([key]) => key === name)
  if (field === undefined) return [`expected an object of options, given ${shown(options)}`]
  const given: unknown = Object.entries(options).find(([key]) => key === name)?.[1]
  const isSecret = name === 'modelArgs' || name === 'judgeArgs'
  return [`options.${field[0]}: expected ${expected(field[1])}, given ${isSecret ? kindOf(given) : shown(given)}`]
}

const expected = (schema: z.ZodType): string =>
  schema.description ?? (schema instanceof z.ZodOptional ? expected(schema.unwrap() as z.ZodType) : 'something else')

/** Formats a value for a message, without the content of an object, which may be long. */
const shown = (value: unknown): string =>
  ['string', 'number', 'boolean'].includes(typeof value) ? JSON.stringify(value) : kindOf(value)

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  const kinds: Readonly<Record<string, string>> = { object: 'an object', string: 'a text' }
  return kinds[typeof value] ?? `a ${typeof value}`
}
