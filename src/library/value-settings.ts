import { PipelineError } from '../../base/errors/errors.js'
import { present } from '../../base/values/present.js'
import { bundleCode } from '../../cache/code/bundle-code.js'
import { isTaskValue, pathOfModule, type TaskValue } from '../../stages/input/tasks/task-value.js'
import type { EvalSettings, GivenBackend } from '../config/settings.js'
import type { EvaluateOptions } from './evaluate-options.js'
import type { AnyBackend } from '../../stages/model/define-backend.js'
import { isJudgeValue, type ModelValue } from './values.js'

/** Splits models and tasks of the options into names, which are stored with a run, and the values behind them. */
export async function valueSettings({
  model,
  modelArgs,
  tasks,
  judge,
  judgeModel,
  judgeArgs,
}: Pick<EvaluateOptions, 'model' | 'modelArgs' | 'tasks' | 'judge' | 'judgeModel' | 'judgeArgs'>): Promise<
  Pick<EvalSettings, 'model' | 'modelArgs' | 'tasks' | 'judgeModel' | 'judgeArgs' | 'values'>
> {
  if (judge !== undefined && judgeModel !== undefined)
    throw new PipelineError('usage', 'options.judge and options.judgeModel name two judges: give one of them')
  const asked = await modelSettings(model, modelArgs)
  const judging = await modelSettings(isJudgeValue(judge) ? judge.model : (judge ?? judgeModel), judgeArgs)
  return {
    model: asked.name ?? '',
    modelArgs: asked.args ?? {},
    tasks: tasks.map(task => (isTaskValue(task) ? formatTaskName(task) : task)),
    ...present({ judgeModel: judging.name, judgeArgs: judging.args }),
    values: { tasks: taskValues(tasks), ...present({ model: asked.backend, judge: judging.backend }) },
  }
}

/** Collects task values by the names that a run stores. @throws PipelineError if two have the same name */
export function taskValues(tasks: EvaluateOptions['tasks']): ReadonlyMap<string, TaskValue> {
  const given = new Map<string, TaskValue>()
  for (const task of tasks) {
    if (!isTaskValue(task)) continue
    const before = given.get(formatTaskName(task))
    if (before !== undefined && before !== task)
      throw new PipelineError('usage', `options.tasks: two tasks are called "${task.name}". Rename one of them`)
    given.set(formatTaskName(task), task)
  }
  return given
}

/** Returns the file and name of a task, by which the command line finds it. */
function formatTaskName({ name, module }: TaskValue): string {
  if (module === undefined) return name
  return `${pathOfModule(module)}#${name}`
}

async function modelSettings(
  given: string | ModelValue | undefined,
  args: EvaluateOptions['modelArgs'],
): Promise<{
  readonly name?: string
  readonly args?: Readonly<Record<string, unknown>>
  readonly backend?: GivenBackend
}> {
  if (given === undefined || typeof given === 'string') return present({ name: given, args })
  const { backend } = given
  const both = { ...given.args, ...args }
  if (typeof backend === 'string') return { name: backend, args: both }
  return {
    name: backend.id,
    args: both,
    backend: { backend, ...present({ closure: await makeClosure(backend, given.code) }) },
  }
}

/** @throws PipelineError if nothing identifies the code that answers, because its answers could not be distinguished from those of other code */
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
