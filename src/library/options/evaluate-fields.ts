import { z } from 'zod'
import { programKeys } from '../../config/option.js'
import { plainOptions } from '../../config/options.js'
import { isTaskValue } from '../../../stages/input/tasks/task-value.js'
import type { EvaluateOptions } from './evaluate-options.js'
import { checkOptions, fields, followingFields, storeField, type OptionFields } from './check-options.js'
import { isJudgeValue, isModelValue } from '../values/values.js'

const modelValue = z.custom(isModelValue)
const givenTask = z.union([z.string(), z.custom(isTaskValue)]).describe('a task of defineTask, or a name')
const judgeValue = z.custom(isJudgeValue)
const args = z.record(z.string(), z.unknown()).describe('an object of arguments')
const givenJudge = z.union([z.string(), modelValue, judgeValue])
const works = z.boolean().optional()

/** Tasks of a stored run that are given again. */
export const taskValues = z.array(givenTask).describe('a list of tasks').optional()

/** The schemas of the options of an evaluation. */
export const evaluateFields = {
  ...storeField,
  model: z.union([z.string(), modelValue]).describe('a model, or the name of a model backend'),
  modelArgs: args.optional(),
  tasks: z.array(givenTask).nonempty().describe('a list of tasks'),
  genKwargs: z.record(z.string(), z.json().optional()).describe('an object of generation kwargs').optional(),
  ...programKeys(plainOptions),
  judge: z.union([modelValue, judgeValue]).describe('a model').optional(),
  judgeArgs: args.optional(),
  judgeFor: z
    .record(z.string(), z.union([givenJudge, z.array(givenJudge).nonempty()]))
    .describe('an object of judges by TASK or TASK.METRIC')
    .optional(),
  includePaths: fields.texts('folders'),
  plugins: fields.texts('files and packages'),
  stages: z
    .strictObject({ input: works, model: works, judge: works })
    .describe('an object of input, model and judge, each true or false')
    .optional(),
  ...followingFields,
} satisfies OptionFields<EvaluateOptions>

/** Checks the options of an evaluation. @throws PipelineError (usage) that names every mistake */
export const checkEvaluateOptions = (options: EvaluateOptions): void => {
  checkOptions(options, evaluateFields)
}
