/** How a task is scored, as a run keeps it: its rules, and the code that they name. */
import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from './messages.js'
import type { GenerationKwargs } from './request.js'

/** A file of this program's `tasks/`, or the source of a user's own. */
export type StoredCode = { readonly builtin: string } | { readonly source: string }

/** `code` names an entry of the task's code. */
export interface StoredFunction {
  readonly function: string
  readonly code: string
}

/** Functions by the text that stands for them in the rules (`!function utils.score`), and the code that they are in. */
export interface StoredFunctions {
  readonly functions?: { readonly [text: string]: StoredFunction }
  readonly code?: { readonly [path: string]: StoredCode }
  /** Git object ids of the code, by path. */
  readonly closure?: { readonly [path: string]: string }
}

/** The rules that a score's key covers. The judge stage checks lists and arguments by their schemas. */
export interface ScoringRules extends JsonObject {
  readonly output_type?: string
  readonly metric_list?: readonly Json[]
  readonly filter_list?: readonly Json[]
  readonly breakdown?: string | readonly string[]
  readonly cluster_key?: string
  readonly score_key?: string
  /** The text of the task's own function, which stands in `StoredFunctions.functions`. */
  readonly process_results?: string
  /** Identity of the judge model, where the task's function may ask it. */
  readonly judge?: JsonObject
  /** Digest of the judge records, where they are not the run's own. */
  readonly records?: string
}

/** What a run keeps of a task so that it can be judged where the task's folder is not. */
export interface StoredScoring extends StoredFunctions {
  readonly output_type: string
  readonly target_delimiter?: string
  readonly config: ScoringRules
  readonly process_results?: string
  /** Digest of what the judge records were made from. */
  readonly records?: string
}

/** Which docs of its tasks a run is about, and how they become prompts. A default is left out, so that it changes no run's id. */
export interface RunSelection {
  readonly limit?: number | { readonly [task: string]: number }
  readonly offset?: number
  readonly subset?: number
  readonly subset_seed?: number
  readonly samples?: { readonly [task: string]: readonly (number | string)[] }
  /** `2/4` */
  readonly shard?: string
  /** The index of each doc's first sample, for a run that asks anew. */
  readonly firstSample?: number
  readonly repeats?: number
  readonly generation?: GenerationKwargs
  readonly prompt_form?: 'simple' | 'text'
  readonly num_fewshot?: number
  readonly fewshot_seed?: number
  readonly fewshot_as_multiturn?: boolean
  /** The text itself. */
  readonly system_instruction?: string
  readonly tools?: { readonly names: readonly string[]; readonly digest: string; readonly max_rounds: number }
}

/** The configuration that starts a run again, in the words of a configuration file. Paths are absolute, secrets left out. */
export interface StoredConfig extends JsonObject {
  /** The working directory of the command that started the run. */
  readonly cwd?: string
  readonly model?: string
  readonly model_args?: JsonObject
  readonly tasks?: readonly string[]
  readonly include_path?: readonly string[]
  readonly judge_model?: string
  readonly judge_args?: JsonObject
  readonly prices?: string
}
