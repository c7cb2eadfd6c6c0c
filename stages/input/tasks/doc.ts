import type { Json } from '../../../base/canonical-json.js'
import type { ChatMessage, MediaPart } from '../../../cache/records.js'

/** One row of a dataset. Media are in place as the dataset has them: `{bytes, path}`, bytes, or a path. */
export type Doc = Readonly<Record<string, unknown>>

/** What `lmms_eval_specific_kwargs` gives for the model. */
export type TaskKwargs = Readonly<Record<string, unknown>>

/** A medium as a dataset or a function names it. A path is relative to the file of the dataset. */
export type MediumSource =
  string | Uint8Array | { readonly bytes?: Uint8Array | null; readonly path?: string | null } | StoredMedium

/** A medium of a doc that is in the store already, as a function of a later round finds it. */
export type StoredMedium = MediaPart

/** What a function hears that is asked after each answer what comes next: its third argument, which the first question does not have. */
export interface RoundState {
  /** Of the question to come: 1 after the first answer. */
  readonly round: number
  /** The answers so far, or what the function made of them. */
  readonly outputs: readonly string[]
  /** What the function gave as `info` last. */
  readonly info: Json | undefined
  /** What the model was shown last with its answer at the end, to go on from: `messages: [...messages, {role: 'user', content: '…'}]`. */
  readonly messages: readonly ChatMessage[]
}

/** What comes next: a text, messages, or one of these with more to say. Nothing at all ends the conversation. */
export type NextQuestion = string | readonly unknown[] | NextQuestionParts | null | undefined

export interface NextQuestionParts {
  /** Shown alone, after `visuals`. */
  readonly text?: string
  /** Of `generate_until_agentic`, those of the question before where it is absent; else none. */
  readonly visuals?: MediumSource | EditedMedium | readonly (MediumSource | EditedMedium)[]
  /** In place of `text`: all that the model is shown, as `doc_to_messages` gives it. */
  readonly messages?: readonly unknown[]
  /** Whether the conversation is over. */
  readonly terminal?: boolean
  /** Takes the place of the answers so far. */
  readonly outputs?: readonly string[]
  /** JSON that the function gets back after the next answer. */
  readonly info?: Json
}

/** A medium that is changed before it is shown: a picture into which something is drawn. What fails in `edit` fails the doc. */
export interface EditedMedium {
  readonly medium: MediumSource
  /** What else goes into it: further pictures that are shown as one with it. */
  readonly others?: readonly MediumSource[]
  readonly edit: (bytes: Uint8Array, others: readonly Uint8Array[]) => Promise<Uint8Array>
}

/** The docs of a dataset, one after another: `for await (const doc of docs)`. */
export interface DocList extends AsyncIterable<Doc> {
  filter(isKept: (doc: Doc, index: number) => boolean): DocList
  map(change: (doc: Doc, index: number) => Doc): DocList
}

/** What else `process_docs` can read. */
export interface DatasetAccess {
  /** The bytes of a medium. @throws Error where it is not there. */
  readonly read: (medium: MediumSource) => Promise<Uint8Array>
  /** The rows of another split of the dataset, or of another one of its configurations. */
  readonly rows: (other: { readonly name?: string; readonly split: string }) => AsyncIterable<Doc>
}

/** `process_docs`: docs in, docs out; they may be filtered, changed, split. */
export type ProcessDocs = (
  docs: DocList,
  access: DatasetAccess,
) => AsyncIterable<Doc> | Iterable<Doc> | Promise<Iterable<Doc>>

/** Any function that a task names: the first argument is the doc. */
export type DocFunction = (doc: Doc, kwargs: TaskKwargs, state?: RoundState) => unknown
