import { canonicalJson, type Json } from '../../../base/canonical-json.js'
import { PipelineError } from '../../../base/errors.js'
import { sha256, type TaskKey } from '../../../cache/digest.js'
import type { Keyed } from '../../../cache/keys.js'
import type { Conversation, Input, JsonObject, ToolDeclaration } from '../../../cache/records.js'
import { specificKwargs } from '../generation.js'
import { isChat, type Prompting } from '../prompting.js'
import { functionText, isFunctionRef } from '../tasks/function-ref.js'
import type { Task } from '../tasks/task.js'

/** How the requests of a task become conversations of several rounds; as they are where nothing is said. */
export interface RoundRules {
  /** What a task's own function, which leads them, depends on beside the doc. */
  readonly by?: TaskKey
  /** Tools that the model may have called, and rounds of calls at most. */
  readonly tools?: { readonly declared: readonly ToolDeclaration[]; readonly maxRounds: number }
  /** Which tools may be called again when the result of a call is lost. */
  readonly repeatTools?: Conversation['repeatTools']
}

/** Grows when the way that rounds follow each other changes, so that old conversations are not taken for new ones. */
const version = 1

/** What a request says of its rounds. `doc` is what the task's function reads. */
export function roundsOf(
  { by, tools, repeatTools }: RoundRules,
  doc: JsonObject = {},
): Pick<Input, 'tools' | 'conversation'> {
  if (by === undefined && tools === undefined) return {}
  return {
    ...(tools === undefined ? {} : { tools: tools.declared }),
    conversation: {
      v: version,
      ...(tools === undefined ? {} : { maxToolRounds: tools.maxRounds }),
      ...(tools === undefined || repeatTools === undefined ? {} : { repeatTools }),
      ...(by === undefined ? {} : { follow: { by, doc } }),
    },
  }
}

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
