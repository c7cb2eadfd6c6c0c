/** Defines requests, models and the code that sends requests. */
import type { Json } from '../../base/values/canonical-json.js'
import type { FileDigest, ResponseKey, TaskKey } from '../digest.js'
import type { JsonObject, ChatMessage, ToolDeclaration } from './messages.js'

/** The types of requests to models. */
export type RequestType =
  | 'generate_until'
  | 'loglikelihood'
  | 'loglikelihood_rolling'
  | 'generate_until_multi_round'
  | 'generate_until_agentic'
  /** A text that follows from a picture which the model makes first. */
  | 'generate_visual_cot'
  /** Not a request to the model, but an action between two rounds of a conversation. See {@link Step}. */
  | 'step'

/** The settings of a conversation of several rounds that can change its answer. */
export interface Conversation {
  /** The version of the rules for rounds. Raise it when the rules change. */
  readonly v: number
  /** The maximum number of rounds of tool calls. Absent without tools. */
  readonly maxToolRounds?: number
  /** Whether a call with a lost result may be repeated, by the tool's name. `*` covers all other tools. @default true */
  readonly repeatTools?: { readonly [name: string]: boolean } | undefined
  /** The task's function that decides what comes after an answer. */
  readonly follow?: Follow
}

/** A task's function that is called after each answer to decide what comes next. */
export interface Follow {
  /** The digest of the function's code and of its arguments other than the doc. */
  readonly by: TaskKey
  /** The doc for the function, with media as message parts. */
  readonly doc: JsonObject
}

/** An action between two rounds of a conversation, stored so that it is not repeated. */
export interface Step {
  /** The response key of the conversation's final answer. */
  readonly of: ResponseKey
  /** The kind of the action and its position: `next 1`, `call 0/2`. */
  readonly at: string
  /** The digest of the answers before this action. */
  readonly after: string
}

/** The content of a request: the part that does not depend on the model. */
export interface Input {
  readonly type: RequestType
  readonly messages: readonly ChatMessage[]
  /** The text behind the messages whose log-likelihood is computed, including its leading space if it has one. */
  readonly continuation?: string | undefined
  readonly tools?: readonly ToolDeclaration[] | undefined
  /** Set if the answer takes several rounds. */
  readonly conversation?: Conversation | undefined
  readonly step?: Step | undefined
  /**
   * The text of the doc's target, or whether the continuation is a target. It is set only for a model that answers with targets, and
   * absent for a doc without a readable one.
   */
  readonly target?: string | boolean | undefined
}

/** Sets how an answer is generated. Values at their frozen default (temperature 0, do_sample false) are left out of keys. */
export interface GenerationKwargs {
  readonly max_new_tokens?: number
  readonly temperature?: number
  readonly top_p?: number
  readonly top_k?: number
  readonly do_sample?: boolean
  readonly num_beams?: number
  readonly repetition_penalty?: number
  readonly seed?: number
  readonly until?: readonly string[]
  readonly [other: string]: Json | undefined
}

/** Identifies the model as far as it can change the answer. Local models: digests of their files. APIs: name and origin. */
export interface ModelIdentity {
  readonly backend: string
  readonly args: JsonObject
  readonly files?: { readonly [name: string]: FileDigest }
}

/** The ways to identify a backend's code in keys: by its revision, by the digests of its files, or by the program's commit. */
export const codeKeyKinds = ['revision', 'files', 'commit'] as const
export type CodeKeyKind = (typeof codeKeyKinds)[number]

/** Names a state of a built-in backend's code. All code with the same revision gives the same answers. */
export interface CodeRevision {
  readonly name: string
  /** Raise it when a change can alter a sent request or the reading of an answer. */
  readonly number: number
}

/** The code that can change an output: git object ids of files, resolved versions of packages. */
export interface CodeManifest {
  /** With a revision, it holds only the files whose content the revision does not list. */
  readonly files: { readonly [path: string]: string }
  /** With a revision, versions have no patch number. */
  readonly packages?: { readonly [name: string]: string }
  /** Replaces the files of a built-in backend. */
  readonly revision?: CodeRevision
  /** Replaces all other fields. It is set by `--code-version`, or to the commit by `--code-key commit`. */
  readonly version?: string
}
