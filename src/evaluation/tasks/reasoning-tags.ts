import type { Json } from '../../../base/values/canonical-json.js'
import type { Task } from '../../../stages/input/tasks/task.js'

/**
 * Adds the reasoning tags of the settings to a task. A task's own tags win, as in lmms-eval (`parse_reasoning_tags_config`), because they are part of
 * what the task measures.
 */
export function withReasoningTags(task: Task, tags: Json | undefined): Task {
  if (tags === undefined || (task.scoring.config['reasoning_tags'] ?? null) !== null) return task
  return { ...task, scoring: { ...task.scoring, config: { ...task.scoring.config, reasoning_tags: tags } } }
}
