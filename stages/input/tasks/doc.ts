/** One row of a dataset. Media are in place as the dataset has them: `{bytes, path}`, bytes, or a path. */
export type Doc = Readonly<Record<string, unknown>>

/** What `lmms_eval_specific_kwargs` gives for the model. */
export type TaskKwargs = Readonly<Record<string, unknown>>

/** A medium as a dataset or a function names it. A path is relative to the file of the dataset. */
export type MediumSource = string | Uint8Array | { readonly bytes?: Uint8Array | null; readonly path?: string | null }

/** The docs of a dataset, one after another: `for await (const doc of docs)`. */
export interface DocList extends AsyncIterable<Doc> {
  filter(isKept: (doc: Doc, index: number) => boolean): DocList
  map(change: (doc: Doc, index: number) => Doc): DocList
}

/** `process_docs`: docs in, docs out; they may be filtered, changed, split. */
export type ProcessDocs = (docs: DocList) => AsyncIterable<Doc> | Iterable<Doc> | Promise<Iterable<Doc>>

/** Any function that a task names: the first argument is the doc. */
export type DocFunction = (doc: Doc, kwargs: TaskKwargs) => unknown
