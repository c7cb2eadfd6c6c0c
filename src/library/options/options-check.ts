import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { pathText, schemaMistakes } from '../../../base/errors/schema-mistakes.js'
import { programKeys } from '../../config/option.js'
import { plainOptions } from '../../config/options.js'
import { isTaskValue } from '../../../stages/input/tasks/task-value.js'
import type { EvaluateOptions } from './evaluate-options.js'
import { isJudgeValue, isModelValue } from '../values/values.js'

const texts = (what: string): z.ZodType => z.array(z.string()).describe(`a list of ${what}`).optional()
const callback = z.custom(value => typeof value === 'function').describe('a function')
const signal = z.instanceof(AbortSignal).describe('an AbortSignal')
const modelValue = z.custom(isModelValue)
const taskValue = z.custom(isTaskValue)
const judgeValue = z.custom(isJudgeValue)
const args = z.record(z.string(), z.unknown()).describe('an object of arguments')
const givenJudge = z.union([z.string(), modelValue, judgeValue])
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
  judgeFor: z
    .record(z.string(), z.union([givenJudge, z.array(givenJudge).nonempty()]))
    .describe('an object of judges by TASK or TASK.METRIC')
    .optional(),
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
  const mistakes = schemaMistakes(parsed.error.issues, options, {
    from: 'json',
    unknown: 'no such option',
    known: Object.keys(optionsSchema.shape),
    expected: ([name, ...inner]) => (inner.length > 0 ? undefined : expectedAt(name)),
    isHidden: ([name]) => name === 'modelArgs' || name === 'judgeArgs' || name === 'judgeFor',
  })
  const problems = mistakes.map(({ path, text }) => (path.length === 0 ? text : `options.${pathText(path)}: ${text}`))
  throw new PipelineError('usage', [...new Set(problems)])
}

function expectedAt(name: PropertyKey | undefined): string | undefined {
  if (name === undefined) return 'an object of options'
  const field = Object.entries(optionsSchema.shape).find(([key]) => key === name)?.[1]
  return field === undefined ? undefined : describedIn(field)
}

const describedIn = (schema: z.ZodType): string | undefined =>
  schema.description ?? (schema instanceof z.ZodOptional ? describedIn(schema.unwrap() as z.ZodType) : undefined)
