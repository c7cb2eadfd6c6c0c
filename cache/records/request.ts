/** What is asked of a model, by whom it is answered, and by which code. */
import type { Json } from '../../base/values/canonical-json.js'
import type { FileDigest, ResponseKey, TaskKey } from '../digest.js'
import type { JsonObject, ChatMessage, ToolDeclaration } from './messages.js'

export type RequestType =
  | 'generate_until'
  | 'loglikelihood'
  | 'loglikelihood_rolling'
  | 'generate_until_multi_round'
  | 'generate_until_agentic'
  /** No question: something done between two rounds of a conversation. See {@link Step}. */
  | 'step'

/** What else decides an answer that takes several rounds, beside what is asked in the first. */
export interface Conversation {
  /** Grows when the way that rounds follow each other changes. */
  readonly v: number
  /** Rounds of tool calls at most, where there are tools. */
  readonly maxToolRounds?: number
  /** Whether a call whose result is lost may be made again, by the tool's name; `*`: all others. Absent: it may. */
  readonly repeatTools?: { readonly [name: string]: boolean } | undefined
  /** Where a task's function says what comes after an answer. */
  readonly follow?: Follow
}

/** A function of a task that is asked after each answer what comes next. */
export interface Follow {
  /** Digest of its code and of what it is given beside the doc. */
  readonly by: TaskKey
  /** The doc as it is given to the function: each medium as the part of a message that shows it. */
  readonly doc: JsonObject
}

/** Something that was done between two rounds, kept so that it is not done again. */
export interface Step {
  /** The conversation: the key under which its answer will be. */
  readonly of: ResponseKey
  /** `next 1`, `call 0/2`: what it is, and its place. */
  readonly at: string
  /** Digest of the answers that it follows. */
  readonly after: string
}

/** What a model is shown: the part of a request that does not depend on which model it is. */
export interface Input {
  readonly type: RequestType
  readonly messages: readonly ChatMessage[]
  /** The text whose log-likelihood is asked, after the messages; with its leading space, if it has one. */
  readonly continuation?: string | undefined
  readonly tools?: readonly ToolDeclaration[] | undefined
  /** Where the answer is made of several rounds. */
  readonly conversation?: Conversation | undefined
  readonly step?: Step | undefined
}

/** How an answer is generated. Values at their frozen default (temperature 0, do_sample false) are left out of keys. */
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

/** Who answers, as far as it can change the answer. Local: digests of the files used; API: name and origin. */
export interface ModelIdentity {
  readonly backend: string
  readonly args: JsonObject
  readonly files?: { readonly [name: string]: FileDigest }
}

/** What can stand for a backend's code in keys: its revision, the digests of its files, or the program's commit. */
export const codeKeyKinds = ['revision', 'files', 'commit'] as const
export type CodeKeyKind = (typeof codeKeyKinds)[number]

/** Names a state of a built-in backend's code whose answers are the same. */
export interface CodeRevision {
  readonly name: string
  /** Raised when what is sent, or how an answer is read, can change. */
  readonly number: number
}

/** The code that can change an output: git object ids of files, resolved versions of packages. */
export interface CodeManifest {
  /** With a revision, only the files whose content the revision does not list. */
  readonly files: { readonly [path: string]: string }
  /** With a revision, versions without their patch number. */
  readonly packages?: { readonly [name: string]: string }
  /** Stands for the files of a built-in backend. */
  readonly revision?: CodeRevision
  /** Set by `--code-version`, or to the commit by `--code-key commit`: stands for all the rest. */
  readonly version?: string
}
