import { isObject, type Json } from '../../base/values/canonical-json.js'
import type { GenerationKwargs, JsonObject } from '../../cache/records.js'
import { isGenerated, isLeftOut, kwargName, readGeneration } from './generation-kwargs.js'
import { isChat, type Prompting, resolveNumFewshot } from './prompting.js'
import type { TaskKwargs } from './tasks/doc.js'
import type { TaskConfig } from './tasks/schema.js'
import type { Task } from './tasks/task.js'

/**
 * Returns the kwargs of a task's requests for a model: the file's, overridden by the model's entry.
 *
 * Without `until` in the file, answers end at the delimiter of examples, but only for base models and where examples
 * precede the question in one text. Elsewhere no model would write another example, and answers contain empty lines.
 */
export function generationFor(task: Task, prompting: Prompting = {}): GenerationKwargs {
  const { config, generation } = task
  if (!isGenerated(config.output_type)) return {}
  const ofModel = modelGeneration(config, prompting.models ?? [])
  const own = Object.fromEntries(
    Object.entries({ ...generation, ...ofModel }).filter(
      ([name, value]) => value !== null && !isLeftOut(name, config.output_type),
    ),
  )
  const { fewshot_delimiter: delimiter } = config
  const isConversation = prompting.asTurns === true || (config.doc_to_messages !== undefined && isChat(prompting))
  const isOneText = prompting.form === 'text' || (resolveNumFewshot(task, prompting) > 0 && !isConversation)
  const isSaid =
    own['until'] !== undefined || [config.generation_kwargs, ofModel].some(said => said?.['until'] === null)
  return isOneText && !isSaid && delimiter !== null ? { ...own, until: [delimiter] } : own
}

/**
 * Returns what `lmms_eval_specific_kwargs` gives a task's functions, as lmms-eval's `ConfigurableTask` does: the
 * model's entry alone; else all of it, with the fields of `default`, else of `dataset`, at the top level.
 *
 * @param models names of the model; the first that has an entry is used
 */
export function specificKwargs(
  { lmms_eval_specific_kwargs: byModel }: TaskConfig,
  models: readonly string[],
): TaskKwargs {
  if (byModel === undefined) return {}
  const own = findModelEntry(byModel, models)
  if (own !== undefined) return isObject(own) ? own : {}
  const common = byModel['default'] ?? byModel['dataset']
  return isObject(common) ? { ...byModel, ...common } : byModel
}

/** Returns the second argument of `doc_to_target`: the model's entry, else `default`, else `undefined`. */
export function targetKwargs(
  { model_specific_target_kwargs: byModel }: TaskConfig,
  models: readonly string[],
): unknown {
  return byModel && (findModelEntry(byModel, models) ?? byModel['default'])
}

/**
 * Returns the model's own generation kwargs, which override the task's: its entry, else `default`. `null` removes one
 * of the task's.
 */
function modelGeneration(
  { model_specific_generation_kwargs: byModel }: TaskConfig,
  models: readonly string[],
): JsonObject {
  const chosen = byModel && (findModelEntry(byModel, models) ?? byModel['default'])
  if (!isObject(chosen)) return {}
  const nullEntries = Object.entries(chosen).flatMap(([name, value]) =>
    value === null ? [[kwargName(name), null]] : [],
  )
  return { ...(Object.fromEntries(nullEntries) as JsonObject), ...readGeneration(chosen).generation }
}

/** Returns all generation kwargs for a model, defaults included, for people and other tools to read. */
export const resolvedGeneration = ({ config }: Pick<Task, 'config'>, models: readonly string[]): JsonObject => ({
  ...config.generation_kwargs,
  ...modelGeneration(config, models),
})

function findModelEntry(byModel: JsonObject, models: readonly string[]): Json | undefined {
  const name = models.find(model => Object.hasOwn(byModel, model))
  return name === undefined ? undefined : byModel[name]
}
