import type { GenerationKwargs } from '../../cache/records.js'
import { isGenerated, localOnly } from './generation-kwargs.js'
import { isChat, shotsOf, type Prompting } from './prompting.js'
import { modelGeneration } from './tasks/model-entries.js'
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
