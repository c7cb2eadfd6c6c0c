/** Defines how a run stores a task's scoring: its rules, and the code that they name. */
import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from './messages.js'
import type { GenerationKwargs } from './request.js'

/** A file of this program's `tasks/`, or the source of a user's file. */
export type StoredCode = { readonly builtin: string } | { readonly source: string } | StoredPython

/** A Python file of a user with the files that it imports. */
export interface StoredPython {
  readonly python: {
    /** The path of the file among `files`. */
    readonly entry: string
    /** True if the files' folders stand for the package `lmms_eval.tasks`. */
    readonly isPackage?: boolean
    /** Texts by path. */
    readonly files: { readonly [path: string]: string }
  }
}

/** `code` names an entry of the task's code. */
export interface StoredFunction {
  readonly function: string
  readonly code: string
}

/** Functions by the text that names each in the rules (`!function utils.score`), and their code. */
export interface StoredFunctions {
  readonly functions?: { readonly [text: string]: StoredFunction }
  readonly code?: { readonly [path: string]: StoredCode }
  /** Git object ids of the code, by path. */
  readonly closure?: { readonly [path: string]: string }
}

/** The rules that a score's key covers. The judge stage validates lists and arguments with their schemas. */
export interface ScoringRules extends JsonObject {
  readonly output_type?: string
  readonly metric_list?: readonly Json[]
  readonly filter_list?: readonly Json[]
  readonly breakdown?: string | readonly string[]
  readonly cluster_key?: string
  readonly score_key?: string
  /** The text that names the task's own function, a key of `StoredFunctions.functions`. */
  readonly process_results?: string
  /** The identity of the judge model, if the task's function may call it. */
  readonly judge?: JsonObject
  /** The identities of the judge models of single metrics, where they are others than `judge`. */
  readonly judges?: JsonObject
  /** The digest of the judge records, if they are not the run's own. */
  readonly records?: string
}

/** Holds what a run stores of a task, so that the task can be judged without its folder. */
export interface StoredScoring extends StoredFunctions {
  readonly output_type: string
  readonly target_delimiter?: string
  readonly config: ScoringRules
  readonly process_results?: string
  /** The digest of the data that the judge records were made from. */
  readonly records?: string
}

/** Selects the docs of a run and how they become prompts. Defaults are left out, so that a new field changes no run's id. */
export interface RunSelection {
  readonly limit?: number | { readonly [task: string]: number }
  readonly limit_by?: string
  readonly offset?: number
  readonly subset?: number
  readonly subset_seed?: number
  readonly samples?: { readonly [task: string]: readonly (number | string)[] }
  /** Ids and shell patterns of the only docs. */
  readonly docs?: readonly string[]
  /** Part and number of parts, such as `2/4`. */
  readonly shard?: string
  /** The condition under which a task has enough docs, such as `half-width < 0.02`. */
  readonly stop_when?: string
  /** The sample index to start from, for a run that samples anew. */
  readonly firstSample?: number
  readonly repeats?: number
  readonly generation?: GenerationKwargs
  readonly prompt_form?: 'simple' | 'text'
  /** True if requests name the doc's target, for a model that answers with it. */
  readonly shows_target?: true
  readonly num_fewshot?: number
  readonly fewshot_seed?: number
  readonly fewshot_as_multiturn?: boolean
  /** The text, not a path. */
  readonly system_instruction?: string
  readonly tools?: { readonly names: readonly string[]; readonly digest: string; readonly max_rounds: number }
}

/** The configuration that starts a run again, with the keys of a configuration file. Paths are absolute, secrets left out. */
export interface StoredConfig extends JsonObject {
  /** The working directory of the command that started the run. */
  readonly cwd?: string
  readonly model?: string
  readonly model_args?: JsonObject
  readonly tasks?: readonly string[]
  readonly include_path?: readonly string[]
  readonly judge_model?: string
  readonly judge_args?: JsonObject
  readonly judge_override?: { readonly [model: string]: string }
  readonly judge_for?: { readonly [pattern: string]: readonly { readonly model: string; readonly args: JsonObject }[] }
  readonly prices?: string
}
