/** One row of a dataset. Media are in place as the dataset has them: `{bytes, path}`, bytes, or a path. */
export type Doc = Readonly<Record<string, unknown>>

/** What `lmms_eval_specific_kwargs` gives for the model. */
export type TaskKwargs = Readonly<Record<string, unknown>>

/** A medium as a dataset or a function names it. A path is relative to the file of the dataset. */
export type MediumSource = string | Uint8Array | { readonly bytes?: Uint8Array | null; readonly path?: string | null }

/** A medium that is changed before it is shown: a picture into which something is drawn. What fails in `edit` fails the doc. */
export interface EditedMedium {
  readonly medium: MediumSource
  readonly edit: (bytes: Uint8Array) => Promise<Uint8Array>
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
export type DocFunction = (doc: Doc, kwargs: TaskKwargs) => unknown
