import type { Json } from '../../base/canonical-json.js'
import type { GenerationKwargs, JsonObject } from '../../cache/records.js'
import { isGenerated, kwargName, localOnly, readGeneration } from './generation-kwargs.js'
import { isChat, type Prompting, shotsOf } from './prompting.js'
import type { TaskKwargs } from './tasks/doc.js'
import type { TaskConfig } from './tasks/schema.js'
import type { Task } from './tasks/task.js'

/**
 * The kwargs that a task's requests have for a model: the file's, and the model's own over them.
 *
 * The delimiter of examples, at which answers end where the file gives no `until`, is part of them only for base models and where
 * examples stand before the question as one text: elsewhere no model would go on with another example, and answers have empty lines.
 */
export function generationFor(task: Task, prompting: Prompting = {}): GenerationKwargs {
  const { config, generation } = task
  if (!isGenerated(config.output_type)) return {}
  const ofModel = modelGeneration(config, prompting.models ?? [])
  const own = Object.fromEntries(
    Object.entries({ ...generation, ...ofModel }).filter(([name, value]) => value !== null && !localOnly.has(name)),
  )
  const { fewshot_delimiter: delimiter } = config
  const isConversation = prompting.asTurns === true || (config.doc_to_messages !== undefined && isChat(prompting))
  const isOneText = prompting.form === 'text' || (shotsOf(task, prompting) > 0 && !isConversation)
  const isSaid =
    own['until'] !== undefined || [config.generation_kwargs, ofModel].some(said => said?.['until'] === null)
  return isOneText && !isSaid && delimiter !== null ? { ...own, until: [delimiter] } : own
}

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
function modelGeneration(
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
