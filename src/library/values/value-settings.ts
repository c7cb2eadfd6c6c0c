import { PipelineError } from '../../../base/errors/errors.js'
import { present } from '../../../base/values/present.js'
import { bundleCode } from '../../../cache/code/bundle-code.js'
import { isTaskValue, pathOfModule, type TaskValue } from '../../../stages/input/tasks/task-value.js'
import type { EvalSettings, GivenBackend } from '../../config/settings.js'
import { readJudgeText, type JudgeChoice } from '../../config/values/judge-choices.js'
import type { EvaluateOptions, GivenJudge } from '../options/evaluate-options.js'
import type { AnyBackend } from '../../../stages/model/define-backend.js'
import { isJudgeValue, type ModelValue } from './values.js'

/** Splits models and tasks of the options into names, which are stored with a run, and the values behind them. */
export async function valueSettings({
  model,
  modelArgs,
  tasks,
  judge,
  judgeModel,
  judgeArgs,
  judgeFor,
}: Pick<EvaluateOptions, 'model' | 'modelArgs' | 'tasks' | 'judge' | 'judgeModel' | 'judgeArgs' | 'judgeFor'>): Promise<
  Pick<EvalSettings, 'model' | 'modelArgs' | 'tasks' | 'judgeModel' | 'judgeArgs' | 'judgeFor' | 'values'>
> {
  if (judge !== undefined && judgeModel !== undefined)
    throw new PipelineError('usage', 'options.judge and options.judgeModel name two judges: give one of them')
  const modelParts = await modelSettings(model, modelArgs)
  const judging = await modelSettings(isJudgeValue(judge) ? judge.model : (judge ?? judgeModel), judgeArgs)
  const choices = await judgeChoices(judgeFor)
  return {
    model: modelParts.name ?? '',
    modelArgs: modelParts.args ?? {},
    tasks: tasks.map(task => (isTaskValue(task) ? formatTaskName(task) : task)),
    ...present({ judgeModel: judging.name, judgeArgs: judging.args, judgeFor: choices?.judgeFor }),
    values: {
      tasks: taskValues(tasks),
      ...present({ model: modelParts.backend, judge: judging.backend, judgeFor: choices?.values }),
    },
  }
}

/** Splits the judges of tasks and metrics into names and the values behind them. @throws PipelineError if a text names no backend */
async function judgeChoices(judgeFor: EvaluateOptions['judgeFor']): Promise<
  | {
      readonly judgeFor: NonNullable<EvalSettings['judgeFor']>
      readonly values: NonNullable<NonNullable<EvalSettings['values']>['judgeFor']>
    }
  | undefined
> {
  if (judgeFor === undefined) return undefined
  const entries = await Promise.all(
    Object.entries(judgeFor).map(async ([pattern, judges]) => {
      const listed = await Promise.all([judges].flat().map(chooseJudge))
      return { pattern, choices: listed.map(({ choice }) => choice), backends: listed.map(({ backend }) => backend) }
    }),
  )
  return {
    judgeFor: Object.fromEntries(entries.map(({ pattern, choices }) => [pattern, choices])),
    values: Object.fromEntries(entries.map(({ pattern, backends }) => [pattern, backends])),
  }
}

async function chooseJudge(
  judge: GivenJudge,
): Promise<{ readonly choice: JudgeChoice; readonly backend?: GivenBackend | undefined }> {
  if (typeof judge === 'string') return { choice: readJudgeText(judge, 'judgeFor') }
  const { name = '', args = {}, backend } = await modelSettings(isJudgeValue(judge) ? judge.model : judge, undefined)
  return { choice: { model: name, args }, backend }
}

/** Collects task values by the names that a run stores. @throws PipelineError if two have the same name */
function taskValues(tasks: EvaluateOptions['tasks']): ReadonlyMap<string, TaskValue> {
  const valuesByName = new Map<string, TaskValue>()
  for (const task of tasks) {
    if (!isTaskValue(task)) continue
    const before = valuesByName.get(formatTaskName(task))
    if (before !== undefined && before !== task)
      throw new PipelineError('usage', `options.tasks: two tasks are called "${task.name}". Rename one of them`)
    valuesByName.set(formatTaskName(task), task)
  }
  return valuesByName
}

/** Returns the file and name of a task in the form that the command line uses. */
function formatTaskName({ name, module }: TaskValue): string {
  if (module === undefined) return name
  return `${pathOfModule(module)}#${name}`
}

async function modelSettings(
  model: string | ModelValue | undefined,
  args: EvaluateOptions['modelArgs'],
): Promise<{
  readonly name?: string
  readonly args?: Readonly<Record<string, unknown>>
  readonly backend?: GivenBackend
}> {
  if (model === undefined || typeof model === 'string') return present({ name: model, args })
  const { backend } = model
  const both = { ...model.args, ...args }
  if (typeof backend === 'string') return { name: backend, args: both }
  return {
    name: backend.id,
    args: both,
    backend: { backend, ...present({ closure: await makeClosure(backend, model.code) }) },
  }
}

/**
 * Computes the identity of a model's code.
 *
 * @throws PipelineError if nothing identifies the code, because its answers could not be told from those of other code
 */
async function makeClosure(
  { id, code: declared }: AnyBackend,
  code: ModelValue['code'],
): Promise<GivenBackend['closure'] | undefined> {
  if (code === undefined && (declared.files.length > 0 || declared.revision !== undefined)) return undefined
  if (code === undefined)
    throw new PipelineError(
      'usage',
      `model ${id}: nothing says which file it is written in, so that its answers can't be told from those of other code. Add the line\n  module: import.meta.url,\nto defineBackend({ id: '${id}', … }).`,
    )
  if ('version' in code) return { [`${id}@version`]: code.version }
  return (await bundleCode(pathOfModule(code.module))).closure
}
