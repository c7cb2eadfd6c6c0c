import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { sha256, type TaskKey } from '../../../cache/digest.js'
import type { Keyed } from '../../../cache/keys.js'
import type { Conversation, Input, JsonObject, ToolDeclaration } from '../../../cache/records.js'
import { specificKwargs } from '../generation.js'
import { isChat, type Prompting } from '../prompting.js'
import { functionText, isFunctionRef } from '../tasks/function-ref.js'
import type { Task } from '../tasks/task.js'

/** The rules that turn the requests of a task into conversations of several rounds. Empty for single-round requests. */
export interface RoundRules {
  /** Identity of the task's function that leads the conversation. */
  readonly by?: TaskKey
  /** Tools that the model may call, and the maximum rounds of calls. */
  readonly tools?: { readonly declared: readonly ToolDeclaration[]; readonly maxRounds: number }
  /** The tools that may be called again when the result of a call is lost. */
  readonly repeatTools?: Conversation['repeatTools']
}

/**
 * The version of how rounds follow each other. Raise it when that changes, so that stored conversations of the old way
 * are not reused.
 */
const version = 1

/** Returns the fields of a request that describe its rounds. `doc` is what the task's function reads. */
export function makeRoundFields(
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

/** The function of a task that is called after each answer for the next question. */
export interface FollowFunction {
  /** Identity of everything that can change its result, beside the doc and the answers. */
  readonly by: Keyed<TaskKey>
  readonly name: string
  readonly call: (...args: readonly unknown[]) => unknown
  readonly kwargs: unknown
}

/** Returns whether a task leads conversations of several rounds. */
export const isMultiTurn = ({ config: { output_type: type } }: Pick<Task, 'config'>): boolean =>
  type === 'generate_until_multi_round' || type === 'generate_until_agentic'

/**
 * Returns the function that leads a task's conversations. It makes the first question, and is called again after each answer. Returns `undefined` if
 * a doc has only one question.
 *
 * @throws PipelineError with the YAML line if the first question does not come from a function
 */
export function findFollowFunction(task: Task, prompting: Prompting = {}): FollowFunction | undefined {
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
