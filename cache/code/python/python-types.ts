import type { Json } from '../../../base/values/canonical-json.js'
import type { PythonErrorData } from './python-error.js'

/** The interpreter for Python code, the files that the code may reach, and its limits. */
export interface PythonOptions {
  /** The interpreter: a name on PATH or a path, such as `python3`. */
  readonly python: string
  /** The path of `worker.py`. */
  readonly worker: string
  /** Folders that can be imported as the package `lmms_eval.tasks`. @default none */
  readonly packages?: readonly string[]
  /** True if the code may open network connections. */
  readonly network?: boolean
  /** The folder to which the code's pictures and recordings are written. It must exist. */
  readonly exchange: string
  /** Maximum time of one call, in seconds. @default 60 */
  readonly seconds?: number
  /** Maximum time of one import of users' modules, in seconds. Large packages take minutes. @default 300 */
  readonly importSeconds?: number
  /** Maximum address space of one process, in bytes. @default no limit */
  readonly memory?: number
  /** The working folder of the code. @default the folder of this process */
  readonly cwd?: string
  /** The folder that holds downloaded datasets and models. */
  readonly hub?: string
  /** Further folders for `sys.path`. */
  readonly root?: string
  /** The environment variables of the processes. They see no others of this process. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Maximum number of processes. They are started when the others are busy. @default one less than the machine's cores, from 1 to 4 */
  readonly workers?: number
  /** Maximum number of docs in one message. @default 64 */
  readonly batch?: number
  /** Messages that each new process receives first, such as the message that loads a model. */
  readonly setup?: readonly PythonMessage[]
  /** Answers requests of running code, such as requests to a judge model. An error reaches the code with its name and message. */
  readonly onAsk?: (ask: PythonAsk) => Promise<Json>
  /** Receives the code's output, line by line. */
  readonly onStderr?: (line: string) => void
}

export interface PythonMessage {
  readonly op: string
  readonly message: Readonly<Record<string, Json | undefined>>
}

/** A question of Python code. */
export interface PythonAsk {
  /** For example `judge`. */
  readonly kind: string
  /** The work of the call, such as a task's name and a doc's id. */
  readonly label: string
  readonly request: Json
}

/** A function or class: by its file beside a YAML file, or by the full name of its module. */
export interface FunctionReference {
  /** `utils`, `metrics.anls`, or with no `folder` `lmms_eval.tasks.mmmu.utils`. */
  readonly module: string
  readonly name: string
  /** The absolute path of the folder of the YAML file. */
  readonly folder?: string
}

/** The facts about a function that are known once its module is imported. */
export interface LoadedFunction {
  readonly parameters: readonly string[]
  /** The number of parameters without a default. */
  readonly required: number
  /** True if the function takes any keyword (`**kwargs`). */
  readonly takesKwargs: boolean
  readonly kind: 'function' | 'class'
}

export interface Loaded {
  /** One for each reference, in order. */
  readonly functions: readonly (LoadedFunction | { readonly error: PythonErrorData })[]
  /** Users' files that the references import, by absolute path: git's SHA-1 of each blob. */
  readonly files: Readonly<Record<string, string>>
  /** Installed packages that they import, with their versions. */
  readonly packages: Readonly<Record<string, string>>
}

export type PythonHook =
  | 'doc_to_text'
  | 'doc_to_visual'
  | 'doc_to_audio'
  | 'doc_to_messages'
  | 'doc_to_target'
  | 'doc_to_choice'
  | 'description'
  | 'gen_prefix'

export interface RenderWork {
  readonly hooks: Readonly<Partial<Record<PythonHook, FunctionReference>>>
  /** `lmms_eval_specific_kwargs`. `null` if the task has none. */
  readonly kwargs: Json
  /** The second argument of `doc_to_target`. `null` if the task has no `model_specific_target_kwargs`. @default null */
  readonly targetKwargs?: Json
  /** Docs in wire form (wire.ts). */
  readonly docs: readonly Json[]
  /** One for each doc, for messages: `mmmu/17`. */
  readonly labels: readonly string[]
}

/** The value in wire form, or the error. */
export type CallResult = { readonly ok: Json } | { readonly error: PythonErrorData }

export type RenderedHooks = Readonly<Partial<Record<PythonHook, CallResult>>>

export interface PythonCall {
  readonly args: readonly Json[]
  readonly kwargs?: Readonly<Record<string, Json>>
}

export interface AggregateWork {
  readonly ref: FunctionReference
  /** Values in wire form, or the path of a JSONL file of them. */
  readonly values: readonly Json[] | { readonly file: string }
  /** Attributes of the `args` that lmms-eval gives to an aggregation. */
  readonly args?: Readonly<Record<string, Json>>
  /** The working folder of the call, for files without a path. @default the process's working folder */
  readonly folder?: string
  readonly label?: string
  /** Maximum time in seconds. @default 10 times that of one call */
  readonly seconds?: number
}

export interface FilterWork {
  readonly ref: FunctionReference
  readonly kwargs?: Readonly<Record<string, Json>>
  /** The responses of each doc. */
  readonly resps: readonly (readonly Json[])[]
  readonly docs: readonly Json[]
  readonly label?: string
}

export interface ProcessDocsWork {
  readonly ref: FunctionReference
  /** A JSONL file of docs in wire form. */
  readonly input: string
  /** The JSONL file to write. */
  readonly output: string
  /** Types of columns by name, as `datasets` writes them in `features`. */
  readonly columns?: Readonly<Record<string, Json>>
  readonly label?: string
  /** Maximum time in seconds. @default 10 times that of one call */
  readonly seconds?: number
}

export interface RequestOptions {
  /** The work of the request, for messages. */
  readonly label?: string
  /** Maximum time in seconds. @default that of one call */
  readonly seconds?: number
}
