import type { Json } from '../../../base/values/canonical-json.js'
import type { ChatMessage, MediaPart } from '../../../cache/records.js'

/** One row of a dataset. Media have the dataset's form: `{bytes, path}`, bytes, or a path. */
export type Doc = Readonly<Record<string, unknown>>

/** The values of `lmms_eval_specific_kwargs` for the model. */
export type TaskKwargs = Readonly<Record<string, unknown>>

/**
 * A medium as a dataset or a function gives it. A text is a path relative to the dataset's file, a `data:` address, or base64 of a known
 * format. A text in `bytes` is base64.
 */
export type MediumSource =
  string | Uint8Array | { readonly bytes?: Uint8Array | string | null; readonly path?: string | null } | StoredMedium

/** A medium of a doc that is already in the store, as functions of later rounds get it. */
export type StoredMedium = MediaPart

/**
 * The third argument of a function that is called after each answer for the next question. It is absent for the first
 * question.
 */
export interface RoundState {
  /** The round of the next question: 1 after the first answer. */
  readonly round: number
  /** The answers so far, or the function's replacements. */
  readonly outputs: readonly string[]
  /** The last `info` that the function returned. */
  readonly info: Json | undefined
  /**
   * The last messages with the model's answer at the end. To continue the conversation, return `messages:
   * [...messages, {role: 'user', content: '…'}]`.
   */
  readonly messages: readonly ChatMessage[]
}

/**
 * The next question: a text, messages, or an object with more fields. `null` or `undefined` ends the conversation.
 */
export type NextQuestion = string | readonly unknown[] | NextQuestionParts | null | undefined

export interface NextQuestionParts {
  /** The text of the question, shown after `visuals` without the earlier rounds. */
  readonly text?: string
  /** Media of the question. By default, `generate_until_agentic` repeats the media of the previous question, and other types show none. */
  readonly visuals?: MediumSource | EditedMedium | readonly (MediumSource | EditedMedium)[]
  /** All messages to show, as `doc_to_messages` returns them; used instead of `text`. */
  readonly messages?: readonly unknown[]
  /** True if the conversation is over. */
  readonly terminal?: boolean
  /** Replaces the answers so far. */
  readonly outputs?: readonly string[]
  /** JSON that the function gets back after the next answer. */
  readonly info?: Json
}

/**
 * A medium that is edited before it is shown, such as a picture with numbers drawn into it. An error in `edit` fails
 * the doc.
 */
export interface EditedMedium {
  readonly medium: MediumSource
  /** Further pictures that `edit` combines with the medium. */
  readonly others?: readonly MediumSource[]
  readonly edit: (bytes: Uint8Array, others: readonly Uint8Array[]) => Promise<Uint8Array>
}

/** The docs of a dataset, for `for await (const doc of docs)`. */
export interface DocList extends AsyncIterable<Doc> {
  filter(isKept: (doc: Doc, index: number) => boolean): DocList
  map(change: (doc: Doc, index: number) => Doc): DocList
}

/** Further data that `process_docs` can read. */
export interface DatasetAccess {
  /** Returns the bytes of a medium. @throws Error where it is missing. */
  readonly read: (medium: MediumSource) => Promise<Uint8Array>
  /** Yields the rows of another split of the dataset, or of another configuration. */
  readonly rows: (other: { readonly name?: string; readonly split: string }) => AsyncIterable<Doc>
}

/** `process_docs`: takes docs and returns docs, which may be filtered, changed or split. */
export type ProcessDocs = (
  docs: DocList,
  access: DatasetAccess,
) => AsyncIterable<Doc> | Iterable<Doc> | Promise<Iterable<Doc>>

/** Any function that a task names. The first argument is the doc. */
export type DocFunction = (doc: Doc, kwargs: TaskKwargs, state?: RoundState) => unknown
