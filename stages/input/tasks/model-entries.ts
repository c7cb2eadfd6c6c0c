import type { Json } from '../../../base/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import { kwargName, readGeneration } from '../generation-kwargs.js'
import type { TaskKwargs } from './doc.js'
import type { TaskConfig } from './schema.js'
import type { Task } from './task.js'

/**
 * What `lmms_eval_specific_kwargs` gives a task's functions, as lmms-eval's `ConfigurableTask` does: the entry of the model in place
 * of everything; else all of it with the entries of `default`, else of `dataset`, put at the top.
 *
 * @param models names of the model; the first that has an entry chooses
 */
export function specificKwargs(
  { lmms_eval_specific_kwargs: given }: TaskConfig,
  models: readonly string[],
): TaskKwargs {
  if (given === undefined) return {}
  const own = entryOf(given, models)
  if (own !== undefined) return isObject(own) ? own : {}
  const common = given['default'] ?? given['dataset']
  return isObject(common) ? { ...given, ...common } : given
}

/** What `doc_to_target` gets as its second argument: the entry of the model, else `default`. `undefined` where there is neither. */
export function targetKwargs({ model_specific_target_kwargs: given }: TaskConfig, models: readonly string[]): unknown {
  return given && (entryOf(given, models) ?? given['default'])
}

/** The model's own generation kwargs, which go over the task's: its entry, else `default`. `null` takes one of the task's away. */
export function modelGeneration(
  { model_specific_generation_kwargs: given }: TaskConfig,
  models: readonly string[],
): JsonObject {
  const chosen = given && (entryOf(given, models) ?? given['default'])
  if (!isObject(chosen)) return {}
  const taken = Object.entries(chosen).flatMap(([name, value]) => (value === null ? [[kwargName(name), null]] : []))
  return { ...(Object.fromEntries(taken) as JsonObject), ...readGeneration(chosen).generation }
}

/** All generation kwargs that hold for a model, those that the file leaves out among them; what people and other tools read. */
export const resolvedGeneration = ({ config }: Pick<Task, 'config'>, models: readonly string[]): JsonObject => ({
  ...config.generation_kwargs,
  ...modelGeneration(config, models),
})

function entryOf(given: JsonObject, models: readonly string[]): Json | undefined {
  const name = models.find(model => Object.hasOwn(given, model))
  return name === undefined ? undefined : given[name]
}

// Array.isArray does not narrow a readonly array out of a union.
const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
