import { canonicalJson, type Json } from '../../../base/canonical-json.js'
import { PipelineError } from '../../../base/errors.js'
import { sha256, type TaskKey } from '../../../cache/digest.js'
import type { Keyed } from '../../../cache/keys.js'
import { isChat, type Prompting } from '../prompting.js'
import { functionText, isFunctionRef } from '../tasks/function-ref.js'
import { specificKwargs } from '../tasks/model-entries.js'
import type { Task } from '../tasks/task.js'

/** The function of a task that is asked after each answer what comes next. */
export interface FollowFunction {
  /** What can change what it says, beside the doc and the answers. */
  readonly by: Keyed<TaskKey>
  readonly name: string
  readonly call: (...args: readonly unknown[]) => unknown
  readonly kwargs: unknown
}

/** Whether a task leads conversations of several rounds. */
export const isMultiTurn = ({ config: { output_type: type } }: Pick<Task, 'config'>): boolean =>
  type === 'generate_until_multi_round' || type === 'generate_until_agentic'

/**
 * The function that leads a task's conversations: the one that asks the first question, called once more after each answer.
 * `undefined` where a doc is one question.
 *
 * @throws PipelineError with the YAML line where what asks the first question is no function.
 */
export function followOf(task: Task, prompting: Prompting = {}): FollowFunction | undefined {
  if (!isMultiTurn(task)) return undefined
  const { models = [] } = prompting
  const { doc_to_messages: messages, doc_to_text: text, output_type: type } = task.config
  const key = messages !== undefined && isChat(prompting) ? 'doc_to_messages' : 'doc_to_text'
  const ref = key === 'doc_to_messages' ? messages : text
  if (!isFunctionRef(ref))
    throw new PipelineError(
      'config',
      `${task.at([key])}  ${key}: must be a !function with output_type ${type}: it is asked after each answer what comes next`,
    )
  const name = functionText(ref)
  const kwargs = specificKwargs(task.config, models)
  const preimage = canonicalJson({ v: 1, function: name, code: task.closure, kwargs: kwargs as Json })
  return { by: { key: sha256(preimage), preimage }, name: `${key} (${name})`, call: task.functionOf(ref), kwargs }
}
