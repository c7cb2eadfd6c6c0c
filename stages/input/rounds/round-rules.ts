import type { TaskKey } from '../../../cache/digest.js'
import type { Conversation, Input, JsonObject, ToolDeclaration } from '../../../cache/records.js'

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
